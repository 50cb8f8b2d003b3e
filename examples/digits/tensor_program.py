"""The part of tensor programs, version 1, that a multilayer perceptron needs, in plain NumPy.

Written from the specification alone and sharing no code with the Rust crates, so that equal
results mean something. A tensor is a NumPy array of rank 2, int8 or int32; a program is the list
of nodes of its JSON form.
"""

import numpy as np
from blake3 import blake3

DTYPES = {"i8": np.dtype("<i1"), "i32": np.dtype("<i4")}
DTYPE_BYTE = {"i8": b"\0", "i32": b"\1"}

# op: (SCALE variant index, fields in encoding order)
OPS = {
    "input": (0, ("dtype", "rows", "cols")),
    "const": (1, ("dtype", "rows", "cols", "root")),
    "matmul_t": (3, ("a", "b")),
    "requant": (4, ("x", "bias", "mult", "shift")),
    "lut": (5, ("x", "table")),
    "add": (6, ("a", "b")),
    "row_argmax": (16, ("x",)),
}


# Commitments


def u32(value: int) -> bytes:
    return value.to_bytes(4, "little")


def hashed(*parts: bytes) -> bytes:
    return blake3(b"".join(parts)).digest()


def merkle(leaves: list[bytes]) -> bytes:
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1  # the largest power of two below the length
    return hashed(b"\1", merkle(leaves[:split]), merkle(leaves[split:]))


def header(tensor: np.ndarray) -> bytes:
    """Dtype byte, rows and columns, as they stand in a tensor's and in a node's hash."""
    dtype = next(name for name, dtype in DTYPES.items() if dtype == tensor.dtype)
    return DTYPE_BYTE[dtype] + u32(tensor.shape[0]) + u32(tensor.shape[1])


def tensor_root(tensor: np.ndarray) -> bytes:
    rows = merkle([hashed(b"\0", row.tobytes()) for row in tensor])
    return hashed(b"\2", header(tensor), rows)


def trace_root(tensor_roots: list[bytes]) -> bytes:
    return merkle([hashed(b"\4", root) for root in tensor_roots])


def encode_node(node: dict) -> bytes:
    index, fields = OPS[node["op"]]
    encoded = bytes([index])
    for field in fields:
        value = node[field]
        if field == "dtype":
            encoded += DTYPE_BYTE[value]
        elif field == "root":
            encoded += bytes.fromhex(value)
        elif field == "shift":
            encoded += bytes([value])
        else:
            encoded += u32(value)
    return encoded


def program_id(nodes: list[dict], trace: list[np.ndarray]) -> bytes:
    """The trace gives the shapes of the results, which the id also covers."""
    leaves = [hashed(b"\6", encode_node(n), header(t)) for n, t in zip(nodes, trace, strict=True)]
    return hashed(b"\5", u32(len(nodes)), merkle(leaves))


# Execution


def matmul_t(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a.astype(np.int64) @ b.T.astype(np.int64)).astype("<i4")


def requant(x: np.ndarray, bias: np.ndarray, mult: np.ndarray, shift: int) -> np.ndarray:
    # Python's integers, because (x + bias) * mult and its rounding term can pass 64 bits.
    exact = (x.astype(object) + bias.astype(object)) * mult.astype(object)
    if shift:
        exact = (exact + (1 << shift - 1)) >> shift
    return np.minimum(np.maximum(exact, -128), 127).astype("<i1")


def lut(x: np.ndarray, table: np.ndarray) -> np.ndarray:
    return table[0][x.astype(np.int64) + 128]


def add(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a.astype(np.int64) + b.astype(np.int64)).astype("<i4")  # the cast wraps


def row_argmax(x: np.ndarray) -> np.ndarray:
    return x.argmax(axis=1).astype("<i4").reshape(-1, 1)  # NumPy, too, takes the lowest index


def execute(nodes: list[dict], supplied: dict[int, np.ndarray]) -> list[np.ndarray]:
    """The result of every node, in order; `supplied` holds inputs and consts by node index."""
    trace: list[np.ndarray] = []
    for index, node in enumerate(nodes):
        op = node["op"]
        if op in ("input", "const"):
            result = supplied[index]
            if (result.dtype, result.shape) != (DTYPES[node["dtype"]], (node["rows"], node["cols"])):
                raise ValueError(f"node {index}: the tensor is not of the declared shape")
        else:
            operation = globals()[op] if op in OPS else None
            if operation is None:
                raise ValueError(f"node {index}: {op} is not implemented here")
            fields = OPS[op][1]
            operands = [node[f] if f == "shift" else trace[node[f]] for f in fields]
            result = operation(*operands)
        trace.append(result)
    return trace

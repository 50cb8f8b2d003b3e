#!/usr/bin/env python3
"""Compares the exact int8 matrix product with ONNX Runtime's MatMulInteger, and commitment and
projection with execution, on one thread each.

Both run in turns, so that what else the machine does meets both alike; the ratio is taken turn by
turn and its median reported. On x86 without VNNI, ONNX Runtime's u8 x i8 kernel saturates (it is
fast and wrong), u8 x u8 is exact, and i8 x i8 takes a slow path: the table says which is which.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
VENV = CACHE / "assay" / "venv"
PACKAGES = ["numpy", "onnx", "onnxruntime"]
MIXES = [("u8", "i8"), ("u8", "u8"), ("i8", "i8")]


def enter_venv():
    """Runs this script again inside a virtual environment that has the packages."""
    python = VENV / "bin" / "python"
    if pathlib.Path(sys.prefix) == VENV:
        return
    if not python.exists():
        venv.create(VENV, with_pip=True)
    probe = "import numpy, onnx, onnxruntime"
    if subprocess.run([python, "-c", probe], stderr=subprocess.DEVNULL).returncode != 0:
        print(f"installing {', '.join(PACKAGES)} into {VENV}", file=sys.stderr)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    os.execv(python, [str(python), __file__, *sys.argv[1:]])


def build():
    """Builds the bench example and returns the path of its executable."""
    command = ["cargo", "build", "--quiet", "--workspace", "--example", "bench"]
    command += ["--message-format", "json-render-diagnostics"]
    output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    for line in output.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message.get("target", {}).get("name") == "bench":
            return message["executable"]
    sys.exit("cargo did not say where it put the bench example")


def ours(executable, n, runs):
    """GMAC/s of each run, and the kernel's name."""
    command = [executable, "matmul", "--n", str(n), "--runs", str(runs), "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return report["gmac_per_s"], report["kernel"]


class MatMulInteger:
    """One MatMulInteger node on one thread, for a mix of operand types."""

    def __init__(self, n, left, right):
        import numpy as np
        import onnx
        import onnxruntime as ort

        types = {"u8": onnx.TensorProto.UINT8, "i8": onnx.TensorProto.INT8}
        numpy_types = {"u8": np.uint8, "i8": np.int8}
        info = onnx.helper.make_tensor_value_info
        graph = onnx.helper.make_graph(
            [onnx.helper.make_node("MatMulInteger", ["A", "B"], ["Y"])],
            "product",
            [info("A", types[left], [n, n]), info("B", types[right], [n, n])],
            [info("Y", onnx.TensorProto.INT32, [n, n])],
        )
        opsets = [onnx.helper.make_opsetid("", 13)]
        model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = ort.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        random = np.random.default_rng(0)
        draw = lambda kind: random.integers(0, 256, (n, n)).astype(numpy_types[kind])
        self.n, self.feed = n, {"A": draw(left), "B": draw(right)}
        # The first run also warms up; a few rows tell whether the kernel is exact.
        rows = self.session.run(None, self.feed)[0][:16].astype(np.int64)
        a, b = self.feed["A"][:16].astype(np.int64), self.feed["B"].astype(np.int64)
        self.exact = bool(np.array_equal(rows, a @ b))

    def rates(self, runs):
        """GMAC/s of each run."""
        rates = []
        for _ in range(runs):
            start = time.perf_counter()
            self.session.run(None, self.feed)
            rates.append(self.n**3 / (time.perf_counter() - start) / 1e9)
        return rates


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(".")[0])
    parser.add_argument("--n", type=int, default=2048, help="side of the matrices")
    parser.add_argument("--turns", type=int, default=9, help="turns of each side")
    parser.add_argument("--runs", type=int, default=3, help="products in each turn; the best counts")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    enter_venv()

    import onnxruntime

    executable = build()
    products = {f"{a} x {b}": MatMulInteger(arguments.n, a, b) for a, b in MIXES}
    rates, own, kernel = {name: [] for name in products}, [], ""
    for _ in range(arguments.turns):
        run, kernel = ours(executable, arguments.n, arguments.runs)
        own.append(max(run))
        for name, product in products.items():
            rates[name].append(max(product.rates(arguments.runs)))

    report = {
        "n": arguments.n,
        "turns": arguments.turns,
        "onnxruntime": onnxruntime.__version__,
        "assay": {
            "kernel": kernel,
            "exact": True,
            "gmac_per_s_median": round(statistics.median(own), 2),
            "gmac_per_s_best": round(max(own), 2),
        },
    }
    for name, product in products.items():
        ratios = [mine / theirs for mine, theirs in zip(own, rates[name])]
        report[name] = {
            "exact": product.exact,
            "gmac_per_s_median": round(statistics.median(rates[name]), 2),
            "gmac_per_s_best": round(max(rates[name]), 2),
            "assay_ratio_median": round(statistics.median(ratios), 3),
        }
    command = [executable, "compute", "--json"]
    ratios = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    report["compute"] = ratios
    if arguments.json:
        print(json.dumps(report))
        return
    print(f"n = {arguments.n}, one thread, {arguments.turns} turns, "
          f"ONNX Runtime {onnxruntime.__version__}")
    print(f"{'':<20}{'exact':<8}{'median':>10}{'best':>10}{'assay ÷ it':>14}   (GMAC/s)")
    for name in ["assay", *products]:
        row = report[name]
        title = f"assay ({kernel})" if name == "assay" else name
        ratio = row.get("assay_ratio_median", 1.0)
        print(f"{title:<20}{'yes' if row['exact'] else 'NO':<8}{row['gmac_per_s_median']:>10}"
              f"{row['gmac_per_s_best']:>10}{ratio:>14}")
    print("\nassay alone, one thread (best of several runs)")
    for key, value in ratios.items():
        print(f"{key:<40}{value:>12}")


if __name__ == "__main__":
    main()

"""Makes sure that NumPy and blake3 can be imported, in a virtual environment of its own if need be."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "assay-digits"


def ensure() -> None:
    """Returns if the packages are there; otherwise starts the script again in CACHE/venv."""
    if all(importlib.util.find_spec(name) for name in ("numpy", "blake3")):
        return
    venv = CACHE / "venv"
    if Path(sys.prefix).resolve() == venv.resolve():
        sys.exit(f"{venv} lacks a package of requirements.txt; delete that folder and try again")
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    installed = venv / "installed"
    if not installed.exists():
        print(f"installing requirements.txt into {venv}", file=sys.stderr)
        requirements = Path(__file__).resolve().parent / "requirements.txt"
        subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", requirements], check=True)
        installed.touch()
    sys.exit(subprocess.run([python, *sys.argv]).returncode)

"""The examples on Dask run, each in a process of its own, and print what their last line says."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("dask.array", reason="Dask is not installed")
pytest.importorskip("zarr", reason="Zarr is not installed")

from support import ROOT  # noqa: E402

EXAMPLES = sorted((ROOT / "examples").glob("dask_*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path):
    program = path.read_text(encoding="utf-8")
    for library in ("h5py", "xarray"):
        if f"import {library}" in program:
            pytest.importorskip(library, reason=f"{library} is not installed")
    expected = program.splitlines()[-1]
    assert expected.startswith("# Prints: ")
    few_threads = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
    run = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300, env=few_threads)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.splitlines()[-1] == expected[len("# Prints: "):]


def test_there_are_examples():
    assert len(EXAMPLES) >= 3

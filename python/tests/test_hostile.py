"""Code of the caller's that runs as one argument is read and takes the memory of another away; and objects that lie."""

import os
import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).parent / "hostile.py"
PARTS = 2


@pytest.mark.parametrize("part", range(PARTS))
def test_no_code_runs_between_taking_an_address_and_using_it(part):
    """Every operator and plan, with such an argument in every position. A call that uses memory that is gone ends the process."""
    # Memory of an array that is made small is no longer mapped then, and cannot be used without being noticed.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "16384"}
    run = subprocess.run([sys.executable, str(PROGRAM), str(part), str(PARTS)], env=environment, capture_output=True, text=True)
    last = run.stdout.rstrip().rpartition("\n")[2]
    assert run.returncode == 0, f"{last}\n{run.stderr}"
    assert int(last.split()[0]) > 1_000

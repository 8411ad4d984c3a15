"""A short run of the fuzzer over calls; python fuzz_calls.py --seconds 3600 is a long one."""

import pathlib
import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform != "linux", reason="limits its memory")
def test_random_calls_keep_the_promises():
    program = pathlib.Path(__file__).with_name("fuzz_calls.py")
    run = subprocess.run([sys.executable, str(program), "--seconds", "8", "--seed", "1"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert " executions with seed 1: " in run.stdout

"""Each allocation of a call fails once: an error, no partial write, no leak, and the next call works."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
COMPILER = shutil.which(os.environ.get("CXX", "g++"))


@pytest.mark.skipif(sys.platform != "linux" or COMPILER is None, reason="needs a compiler, and an allocator that can be replaced")
@pytest.mark.skipif(hasattr(sys, "_is_gil_enabled"), reason="a free-threaded Python has an allocator of its own")
def test_every_allocation_may_fail(tmp_path):
    allocator = tmp_path / "failing_memory.so"
    subprocess.run([COMPILER, "-O1", "-shared", "-fPIC", "-o", str(allocator), str(HERE / "failing_memory.cpp"), "-ldl"], check=True)
    run = subprocess.run([sys.executable, "-X", "faulthandler", str(HERE / "failing_memory.py")], capture_output=True, text=True,
                         env={**os.environ, "LD_PRELOAD": str(allocator), "PYTHONMALLOC": "malloc"})
    assert run.returncode == 0 and run.stdout.endswith("done\n"), run.stdout[-500:] + run.stderr[-3000:]

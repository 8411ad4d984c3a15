"""Calls on more data than the process may hold: each runs in a process of its own with a hard limit."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("dask.array", reason="Dask is not installed")

LIMIT = 288  # MiB

PROGRAM = """
import resource, sys
import numpy as np, dask, dask.array as da, strew, strew.dask

def block(height, width, block_id=None):
    return np.random.default_rng(block_id).standard_normal((height, width), np.float32)

resource.setrlimit(resource.RLIMIT_DATA, ({limit} << 20, {limit} << 20))  # an allocation beyond it fails
dask.config.set(scheduler="threads", num_workers=2)
{body}
print(float(result.compute()))
"""

# 512 MiB of results each, in blocks of 8 MiB.
BODIES = {
    "gather of rows": """
source = da.from_array(np.ones((100, 256), np.float32), chunks=-1)
index = da.arange(64 * 8192, chunks=8192) % 100
result = strew.dask.gather(source, index).sum()
""",
    "rows of blocks": """
source = da.map_blocks(block, 3000, 512, chunks=((3000,), (512,) * 64), dtype=np.float32, meta=np.empty((0, 0), np.float32))
base = da.zeros((4096, 512 * 64), chunks=(4096, 512), dtype=np.float32)
index = da.arange(3000, chunks=3000)
result = abs(strew.dask.pytorch.index_add(base, 0, index, source)).sum()
""",
}


@pytest.mark.parametrize("name", BODIES)
def test_peak(name):
    program = PROGRAM.format(body=BODIES[name], limit=LIMIT)
    few_threads = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, env=few_threads)
    assert run.returncode == 0, run.stderr[-2000:]
    assert float(run.stdout) > 0

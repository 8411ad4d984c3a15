"""A histogram of more data than memory, from one Zarr store to another, in a process that may not hold the data.

    python dask_histogram.py [FOLDER]
"""

import resource
import sys
import tempfile

import dask
import dask.array as da
import numpy as np
import strew.dask
import zarr
from dask.diagnostics import ProgressBar

VALUES, CHUNK, BINS = 1 << 26, 1 << 20, 1000
LIMIT = 384 << 20  # bytes of memory; the values have 512 MiB


def write_values(path):
    store = zarr.create_array(path, shape=(VALUES,), chunks=(CHUNK,), dtype="f8", compressors=None)
    for start in range(0, VALUES, CHUNK):
        store[start:start + CHUNK] = np.random.default_rng(start).random(CHUNK) ** 2


def main(folder):
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))  # an allocation beyond it fails
    write_values(f"{folder}/values.zarr")
    values = da.from_zarr(f"{folder}/values.zarr")
    bins = (values * BINS).astype(np.int64)
    counts = strew.dask.scatter_add(da.zeros(BINS, dtype=np.int64), bins, 1)
    with ProgressBar(), dask.config.set(scheduler="threads", num_workers=2):
        counts.to_zarr(f"{folder}/counts.zarr")

    counted = zarr.open_array(f"{folder}/counts.zarr")[:]
    print(f"{counted.sum()} values of {values.nbytes >> 20} MiB counted in less than {LIMIT >> 20} MiB; {counted[0]} in the first bin")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else folder)

# Prints: 67108864 values of 512 MiB counted in less than 384 MiB; 2122115 in the first bin

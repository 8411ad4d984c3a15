"""Updates the rows of an embedding table that is larger than memory from a log, both in Zarr stores.

    python dask_embedding.py [FOLDER]
"""

import resource
import sys
import tempfile

import dask
import dask.array as da
import numpy as np
import strew.dask
import zarr

ROWS, WIDTH, CHUNK = 1 << 19, 256, 1 << 13  # chunks of 8 MiB
ENTRIES, PER_CHUNK = 40_000, 10_000
LIMIT = 448 << 20  # bytes of memory; the table has 512 MiB, the log 39


def write_stores(folder):
    table = zarr.create_array(f"{folder}/table.zarr", shape=(ROWS, WIDTH), chunks=(CHUNK, WIDTH), dtype="f4", compressors=None)
    for start in range(0, ROWS, CHUNK):
        table[start:start + CHUNK] = np.random.default_rng(start).random((CHUNK, WIDTH), np.float32)
    log = zarr.create_group(f"{folder}/log.zarr")
    rows = np.random.default_rng(1).zipf(1.5, ENTRIES) % ROWS  # a few rows get most of the updates
    log.create_array("row", data=rows.astype(np.int64), chunks=(PER_CHUNK,))
    gradients = np.random.default_rng(2).standard_normal((ENTRIES, WIDTH), np.float32)
    log.create_array("gradient", data=gradients, chunks=(PER_CHUNK, WIDTH), compressors=None)


def main(folder):
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))  # an allocation beyond it fails
    write_stores(folder)
    table = da.from_zarr(f"{folder}/table.zarr")
    row, gradient = (da.from_zarr(f"{folder}/log.zarr", component=name) for name in ("row", "gradient"))
    updated = strew.dask.pytorch.index_add(table, 0, row, gradient, alpha=-0.01)
    with dask.config.set(scheduler="threads", num_workers=2):
        updated.to_zarr(f"{folder}/updated.zarr")

    before, after = zarr.open_array(f"{folder}/table.zarr"), zarr.open_array(f"{folder}/updated.zarr")
    rows = row.compute()
    changed = np.unique(rows)
    expected = before[int(changed[0])]
    for step in gradient[np.flatnonzero(rows == changed[0])].compute():
        expected = expected + np.float32(-0.01) * step
    assert (after[int(changed[0])] == expected).all()
    print(f"{len(changed)} rows of {table.nbytes >> 20} MiB updated {ENTRIES} times in less than {LIMIT >> 20} MiB")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else folder)

# Prints: 1623 rows of 512 MiB updated 40000 times in less than 448 MiB

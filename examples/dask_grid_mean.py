"""The mean of measurements, from an HDF5 file, in each cell of a grid. Points and grid are cut into chunks; the bits do not depend on how.

    python dask_grid_mean.py [FOLDER]
"""

import sys
import tempfile

import dask.array as da
import h5py
import numpy as np
import strew
import strew.dask

POINTS, PER_CHUNK, ROWS, COLUMNS = 300_000, 10_000, 90, 180


def write_points(path):
    random = np.random.default_rng(1)
    latitude, longitude = random.uniform(-90, 90, POINTS), random.uniform(-180, 180, POINTS)
    with h5py.File(path, "w") as file:
        file.create_dataset("measured", data=(latitude / 90 + random.standard_normal(POINTS)).astype(np.float32), chunks=(PER_CHUNK,))
        file.create_dataset("row", data=((latitude + 90) / 2).astype(np.int64), chunks=(PER_CHUNK,))
        file.create_dataset("column", data=((longitude + 180) / 2).astype(np.int64), chunks=(PER_CHUNK,))


def main(folder):
    write_points(f"{folder}/points.h5")
    with h5py.File(f"{folder}/points.h5", "r") as file:
        row, column, measured = (file[name][:] for name in ("row", "column", "measured"))
        in_memory = strew.scatter_mean(np.full((ROWS, COLUMNS), np.nan, np.float32), (row, column), measured)

        for points, cells in ((POINTS, (ROWS, COLUMNS)), (PER_CHUNK, (30, 45)), (7_777, (ROWS, 50))):
            row, column, measured = (da.from_array(file[name], chunks=points) for name in ("row", "column", "measured"))
            grid = da.full((ROWS, COLUMNS), np.nan, dtype=np.float32, chunks=cells)
            mean = strew.dask.scatter_mean(grid, (row, column), measured).compute()
            assert mean.tobytes() == in_memory.tobytes()
    print(f"{np.isfinite(in_memory).sum()} cells, mean of the first row {in_memory[0].mean():.2f}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else folder)

# Prints: 16200 cells, mean of the first row -0.99

"""The mean of measurements in each cell of a grid. Points and grid are both cut into chunks; the bits do not depend on how."""

import dask.array as da
import numpy as np
import strew
import strew.dask

POINTS, ROWS, COLUMNS = 300_000, 90, 180


def main():
    random = np.random.default_rng(1)
    latitude, longitude = random.uniform(-90, 90, POINTS), random.uniform(-180, 180, POINTS)
    measured = (latitude / 90 + random.standard_normal(POINTS)).astype(np.float32)
    row, column = ((latitude + 90) / 2).astype(np.int64), ((longitude + 180) / 2).astype(np.int64)
    in_memory = strew.scatter_mean(np.full((ROWS, COLUMNS), np.nan, np.float32), (row, column), measured)

    for points, cells in ((POINTS, (ROWS, COLUMNS)), (10_000, (30, 45)), (7_777, (ROWS, 50))):
        grid = da.full((ROWS, COLUMNS), np.nan, dtype=np.float32, chunks=cells)
        index = da.from_array(row, chunks=points), da.from_array(column, chunks=points)
        mean = strew.dask.scatter_mean(grid, index, da.from_array(measured, chunks=points)).compute()
        assert mean.tobytes() == in_memory.tobytes()
    print(f"{np.isfinite(in_memory).sum()} cells, mean of the first row {in_memory[0].mean():.2f}")


if __name__ == "__main__":
    main()

# Prints: 16200 cells, mean of the first row -0.99

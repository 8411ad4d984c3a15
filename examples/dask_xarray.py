"""Rain per region and month with xarray, on arrays that Dask holds in chunks."""

import dask.array as da
import numpy as np
import strew.dask
import xarray as xr

DAYS, STATIONS, MONTHS, REGIONS = 360, 200, 12, 5


def main():
    rain = xr.DataArray(da.random.default_rng(1).poisson(3, (DAYS, STATIONS), chunks=(50, 90)), dims=("day", "station"))
    month = xr.DataArray(da.arange(DAYS, chunks=50) // 30, dims="day")
    region = xr.DataArray(np.arange(STATIONS) % REGIONS, dims="station")
    totals = xr.DataArray(da.zeros((MONTHS, REGIONS), dtype=rain.dtype), dims=("month", "region"))
    month, region = xr.broadcast(month, region)

    per_region = xr.apply_ufunc(
        lambda totals, month, region, rain: strew.dask.scatter_add(totals, (month, region), rain),
        totals, month, region, rain,
        input_core_dims=[totals.dims, rain.dims, rain.dims, rain.dims], output_core_dims=[totals.dims], dask="allowed",
    )  # fmt: skip
    assert int(per_region.sum()) == int(rain.sum())
    print(f"{dict(per_region.sizes)}: {'lazy' if per_region.chunks else 'in memory'}, the sum of all rain is kept")


if __name__ == "__main__":
    main()

# Prints: {'month': 12, 'region': 5}: lazy, the sum of all rain is kept

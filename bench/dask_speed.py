#!/usr/bin/env python3
"""Sums and counts on Dask beside what people use: da.bincount, flox, and np.bincount and Strew in memory.

    python bench/dask_speed.py [--values 26] [--chunk 22] [--bins 10 20 24] [--flox]

Prints seconds, the best of several runs, on two threads. --flox needs the package, and takes minutes.
"""

import argparse
import time

import dask
import dask.array as da
import numpy as np

import strew
import strew.dask


def best(call, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def peers(index, weights, lazy_index, lazy_weights, bins, with_flox):
    zeros, counts = da.zeros(bins, chunks=bins), da.zeros(bins, dtype=np.int64, chunks=bins)
    yield "strew.dask, sum", lambda: strew.dask.scatter_add(zeros, lazy_index, lazy_weights).compute()
    yield "da.bincount with weights", lambda: da.bincount(lazy_index, weights=lazy_weights, minlength=bins).compute()
    if with_flox:
        import flox

        labels = np.arange(bins)
        yield "flox, sum", lambda: flox.groupby_reduce(lazy_weights, lazy_index, func="sum", expected_groups=labels)[0].compute()
    yield "strew in memory, sum", lambda: strew.scatter_add(np.zeros(bins), index, weights, threads=2)
    yield "np.bincount with weights", lambda: np.bincount(index, weights=weights, minlength=bins)
    yield "strew.dask, count", lambda: strew.dask.scatter_add(counts, lazy_index, 1).compute()
    yield "da.bincount", lambda: da.bincount(lazy_index, minlength=bins).compute()
    yield "strew in memory, count", lambda: strew.scatter_add(np.zeros(bins, np.int64), index, 1, threads=2)
    yield "np.bincount", lambda: np.bincount(index, minlength=bins)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--values", type=int, default=26, help="logarithm to base 2 of the number of values")
    parser.add_argument("--chunk", type=int, default=22)
    parser.add_argument("--bins", type=int, nargs="+", default=[10, 20, 24])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--flox", action="store_true")
    options = parser.parse_args()
    strew.set_threads(2)
    dask.config.set(scheduler="threads", num_workers=2)
    rows = {}
    for bits in options.bins:
        random = np.random.default_rng(bits)
        index, weights = random.integers(0, 1 << bits, 1 << options.values), random.random(1 << options.values)
        lazy = [da.from_array(array, chunks=1 << options.chunk) for array in (index, weights)]
        for name, call in peers(index, weights, *lazy, 1 << bits, options.flox):
            repeats = 1 if "flox" in name else options.repeats
            rows.setdefault(name, []).append(best(call, repeats))
            print(f"  2^{bits} {name}: {rows[name][-1]:.3f}", flush=True)
    print("| seconds | " + " | ".join(f"2^{bits} bins" for bits in options.bins) + " |\n| --- |" + " ---: |" * len(options.bins))
    for name, times in rows.items():
        print(f"| {name} | " + " | ".join(f"{one:.2f}" for one in times) + " |")


if __name__ == "__main__":
    main()

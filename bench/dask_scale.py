#!/usr/bin/env python3
"""The cost of chunks: tasks, time and memory of one scatter_add on Dask, with N chunks of updates into N chunks of the output.

    python bench/dask_scale.py [--chunks 10 100 1000 10000] [--elements 1000] [--workers 2] [--threads]

Each case runs in a process of its own: on a local cluster of processes with one thread each, or with --threads in one process.
`build` is the time to describe the call, `run` to compute it into memory, `peak` the largest memory of a worker above an idle one.
"""

import argparse
import subprocess
import sys
import time


def chunk(chunks, elements, kind, block_id=None):
    import numpy as np

    random = np.random.default_rng([kind, block_id[0]])
    return random.integers(0, chunks * elements, elements) if kind == 0 else random.random(elements)


def peak_memory():
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(chunks, elements, workers, threads, merge):
    import dask
    import dask.array as da
    import numpy as np

    import strew
    import strew.dask

    sizes = ((elements,) * chunks,)
    index = da.map_blocks(chunk, chunks, elements, 0, chunks=sizes, dtype=np.int64, meta=np.empty(0, np.int64))
    values = da.map_blocks(chunk, chunks, elements, 1, chunks=sizes, dtype=np.float64, meta=np.empty(0))
    start = time.perf_counter()
    with dask.config.set({} if merge else {"strew.merge-below": 0}):
        total = strew.dask.scatter_add(da.zeros(chunks * elements, chunks=elements), index, values)
    built = time.perf_counter() - start
    tasks = len(total.__dask_graph__())
    if threads:
        before = peak_memory()
        start = time.perf_counter()
        got = total.compute(scheduler="threads", num_workers=workers)
        ran, peak = time.perf_counter() - start, peak_memory() - before
    else:
        from distributed import Client, LocalCluster

        with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster, Client(cluster) as client:
            client.run(lambda: __import__("strew.dask"))
            before = max(client.run(peak_memory).values())
            start = time.perf_counter()
            got = total.compute()
            ran, peak = time.perf_counter() - start, max(client.run(peak_memory).values()) - before
    parts = [[chunk(chunks, elements, kind, (number,)) for number in range(chunks)] for kind in (0, 1)]
    want = strew.scatter_add(np.zeros(chunks * elements), *map(np.concatenate, parts))
    assert got.tobytes() == want.tobytes()
    print(f"| {chunks:,} | {tasks:,} | {built:.2f} s | {ran:.1f} s | {peak:.0f} MiB |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chunks", type=int, nargs="+", default=[10, 100, 1000, 10000])
    parser.add_argument("--elements", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", action="store_true")
    parser.add_argument("--merge", action="store_true", help="let strew.dask merge small blocks of the output, as it does by default")
    options = parser.parse_args()
    if len(options.chunks) == 1:
        return measure(options.chunks[0], options.elements, options.workers, options.threads, options.merge)
    print("| chunks | tasks | build | run | peak |\n| ---: | ---: | ---: | ---: | ---: |", flush=True)
    flags = ["--threads"] * options.threads + ["--merge"] * options.merge
    for chunks in options.chunks:
        again = [sys.executable, __file__, "--chunks", str(chunks), "--elements", str(options.elements), "--workers", str(options.workers), *flags]
        subprocess.run(again, check=True)


if __name__ == "__main__":
    main()

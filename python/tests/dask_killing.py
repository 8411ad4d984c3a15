"""Kills workers of a local cluster at random while scatters run, and compares the bits.

    python dask_killing.py [--seconds 60] [--seed 1]
"""

import argparse
import os
import random
import signal
import threading
import time

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import strew
import strew.dask

PLACES, PARTS, POINTS = 1000, 40, 500


def block(seed, kind, pause, block_id=None):
    """Indices or values of one chunk, made in a task, so that each run of the task has to make the same ones again."""
    time.sleep(pause)
    rng = np.random.default_rng([seed, kind, block_id[0]])
    return rng.integers(0, PLACES, POINTS) if kind == 0 else rng.standard_normal(POINTS)


def call(seed, pause=0.0, merge_below=0):
    """A mean of float16, whose accumulators are carried from task to task, in blocks or in one."""
    chunks = ((POINTS,) * PARTS,)
    cell = da.map_blocks(block, seed, 0, pause, chunks=chunks, dtype=np.int64, meta=np.empty(0, np.int64))
    mass = da.map_blocks(block, seed, 1, pause, chunks=chunks, dtype=np.float64, meta=np.empty(0)).astype(np.float16)
    with dask.config.set({"strew.merge-below": merge_below}):
        return strew.dask.scatter_mean(da.zeros(PLACES, dtype=np.float16, chunks=130), cell, mass)


def in_memory(seed):
    parts = [[block(seed, kind, 0, (number,)) for number in range(PARTS)] for kind in (0, 1)]
    return strew.scatter_mean(np.zeros(PLACES, np.float16), np.concatenate(parts[0]), np.concatenate(parts[1]).astype(np.float16))


def local_cluster():
    dask.config.set({"distributed.scheduler.allowed-failures": 1000, "distributed.scheduler.worker-ttl": None})
    return LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)


def kill_one(cluster, rng):
    """SIGKILL to one worker, which its nanny starts again. Returns whether there was one to kill."""
    nannies = [nanny for nanny in cluster.workers.values() if nanny.pid]
    if not nannies:
        return False
    try:
        os.kill(rng.choice(nannies).pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, kills, runs = random.Random(options.seed), 0, 0
    end = time.monotonic() + options.seconds
    with local_cluster() as cluster, Client(cluster) as client:
        stopped = threading.Event()

        def kill_until_stopped():
            nonlocal kills
            while not stopped.wait(rng.uniform(0.1, 2)):
                if len(client.scheduler_info()["workers"]) == 2:  # else the work would never end on a slow machine
                    kills += kill_one(cluster, rng)

        killer = threading.Thread(target=kill_until_stopped)
        killer.start()
        try:
            while time.monotonic() < end:
                seed = options.seed + runs
                got = call(seed, pause=0.02, merge_below=rng.choice([0, 1 << 22])).compute()
                assert got.tobytes() == in_memory(seed).tobytes(), f"seed {seed}: other bits"
                runs += 1
        finally:
            stopped.set()
            killer.join()
    print(f"{runs} scatters with the bits of the in-memory call, {kills} workers killed")


if __name__ == "__main__":
    main()

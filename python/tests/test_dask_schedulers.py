"""Processes and a local cluster: the same bits, errors that survive the way back, and workers that are killed."""

import os
import random
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="Dask is not installed")
pytest.importorskip("distributed", reason="Dask's distributed is not installed")

import dask.array as da  # noqa: E402
from dask_killing import call, in_memory, kill_one, local_cluster  # noqa: E402
from distributed import Client  # noqa: E402

import strew  # noqa: E402
import strew.dask  # noqa: E402


@pytest.fixture(scope="module")
def cluster():
    with local_cluster() as made, Client(made):
        yield made


def bad_call():
    index = np.arange(60) % 20
    index[[17, 31, 44]] = 99, -1, 20
    return strew.dask.tensorflow.tensor_scatter_nd_add(da.zeros(20, chunks=6), da.from_array(index[:, None], chunks=(7, 1)), np.ones(60))


TEXT = ("tensorflow.tensor_scatter_nd_add: indices[17] = [99] does not index into shape [20] "
        "(indices[17, 0] = 99 for axis 0 of size 20, valid: 0..19; 2 more)")


@pytest.mark.parametrize("merge_below", [0, 1 << 22])
def test_same_bits_on_a_cluster(cluster, merge_below):
    assert call(3, merge_below=merge_below).compute().tobytes() == in_memory(3).tobytes()


def test_error_comes_back_from_a_cluster(cluster):
    for _ in range(3):
        with pytest.raises(strew.BadIndexError) as raised:
            bad_call().compute()
        assert str(raised.value) == TEXT and raised.value.bad_index == strew.BadIndex(99, (17, 0), 0, 20, 3)


def test_processes():
    assert call(5).compute(scheduler="processes", num_workers=2).tobytes() == in_memory(5).tobytes()
    with pytest.raises(strew.BadIndexError) as raised:
        bad_call().compute(scheduler="processes", num_workers=2)
    assert str(raised.value).startswith(TEXT) and raised.value.bad_index.count == 3


def test_killed_worker_changes_no_bit(cluster):
    killed = []
    timer = threading.Timer(0.7, lambda: killed.append(kill_one(cluster, random.Random(1))))
    timer.start()
    started = time.monotonic()
    got = call(7, pause=0.02).compute()
    timer.join()
    assert killed == [True] and time.monotonic() - started > 0.7
    assert got.tobytes() == in_memory(7).tobytes()


@pytest.mark.skipif(not os.environ.get("STREW_TEST_DASK_ALL"), reason="takes a minute: set STREW_TEST_DASK_ALL=1")
def test_workers_killed_for_a_minute():
    run = subprocess.run([sys.executable, "dask_killing.py", "--seconds", "60"], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0 and "scatters with the bits" in run.stdout, run.stdout + run.stderr

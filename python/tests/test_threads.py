"""Several threads at once, and the interpreter lock while data moves."""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import strew


def test_threads_do_not_disturb_each_other():
    rng = np.random.default_rng(1)
    index = rng.integers(0, 1000, 20000)
    src = rng.standard_normal(20000)
    expected = np.zeros(1000)
    np.add.at(expected, index, src)

    def work(_):
        return strew.pytorch.scatter_add(np.zeros(1000), 0, index, src).tobytes()

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(work, range(200))) == {expected.tobytes()}


def test_small_calls_from_many_threads():
    def work(seed):
        x = np.zeros(8)
        for _ in range(2000):
            strew.pytorch.scatter_add_(x, 0, np.array([seed % 8]), np.ones(1))
            with pytest.raises(IndexError):
                strew.pytorch.scatter_add_(x, 0, np.array([9]), np.ones(1))
        return x[seed % 8]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(8))) == [2000] * 8


def test_the_lock_is_released_while_data_moves():
    """Another thread gets to run in the middle of a call, long before the interpreter would switch by itself."""
    x, index, src = np.zeros(4_000_000), np.arange(4_000_000), np.ones(4_000_000)
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0002)

    before = sys.getswitchinterval()
    sys.setswitchinterval(10)
    ticker = threading.Thread(target=tick)
    try:
        ticker.start()
        time.sleep(0.01)
        start = time.perf_counter()
        for _ in range(5):
            strew.pytorch.scatter_add_(x, 0, index, src)
        end = time.perf_counter()
    finally:
        sys.setswitchinterval(before)
        stop.set()
        ticker.join()
    # A fifth of the time belongs to each call; ticks inside the middle three can only come from a released lock.
    inside = [at for at in ticks if start + (end - start) * 0.2 < at < start + (end - start) * 0.8]
    assert len(inside) >= 5
    assert (x == 5).all()


def test_indices_that_change_during_the_call_do_no_harm():
    x, src = np.zeros(1000), np.ones(200_000)
    index = np.zeros(200_000, np.int64)
    stop = threading.Event()

    def spoil():
        while not stop.is_set():
            index[::7] = 10**12
            index[::7] = 3

    spoiler = threading.Thread(target=spoil)
    spoiler.start()
    try:
        for _ in range(50):
            try:
                strew.pytorch.scatter_add_(x, 0, index, src)
            except (strew.BadIndexError, strew.ChangedError):
                pass
    finally:
        stop.set()
        spoiler.join()

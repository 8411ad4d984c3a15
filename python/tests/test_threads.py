"""How many threads a call uses, several calls at once, forks, and the interpreter lock while data moves."""

import multiprocessing
import os
import re
import subprocess
import sys
import sysconfig
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import strew

RNG = np.random.default_rng(5)
ROWS, WIDTH, TARGETS = 3000, 128, 700
INDEX = RNG.integers(0, TARGETS, ROWS)
SRC = RNG.standard_normal((ROWS, WIDTH), dtype=np.float32)
START = RNG.standard_normal((TARGETS, WIDTH), dtype=np.float32)

threaded = pytest.mark.skipif(not strew._core.threads_from, reason="built without threads")


def in_order():
    """What index_add_ makes of START: one row after the other, as the loop that is the law."""
    out = START.copy()
    for row, update in zip(INDEX, SRC):
        out[row] += update
    return out.tobytes()


def index_add(threads=None):
    return strew.pytorch.index_add_(START.copy(), 0, INDEX, SRC, threads=threads).tobytes()


def threads_said(**keywords):
    text = strew.explain(strew.pytorch.index_add_, START, 0, INDEX, SRC, **keywords)
    return int(re.search(r"^  threads: (\d+)$", text, re.MULTILINE)[1])


def run_python(program, env=None):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120, env=env).stdout


@pytest.fixture
def default_threads():
    yield
    strew.set_threads(0)


@threaded
def test_a_call_uses_as_many_threads_as_it_is_told(default_threads):
    assert [threads_said(threads=n) for n in (1, 2, 3, 8)] == [1, 2, 3, 8]
    strew.set_threads(5)
    assert strew.get_threads() == 5
    assert (threads_said(), threads_said(threads=None), threads_said(threads=2)) == (5, 5, 2)
    assert threads_said(threads=2**62) == 1024


def test_the_default_is_what_the_process_may_use(default_threads):
    allowed = strew.get_threads()
    assert 1 <= allowed <= len(os.sched_getaffinity(0))
    strew.set_threads(allowed + 7)
    strew.set_threads(0)
    assert strew.get_threads() == allowed
    pin = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); import strew; print(strew.get_threads())"
    assert run_python(pin) == "1\n"


def test_counts_that_are_none(default_threads):
    strew.set_threads(3)
    with pytest.raises(strew.ArgumentError, match="threads must be >= 0 .*, got -1"):
        strew.set_threads(-1)
    assert strew.get_threads() == 3
    for wrong in (0, -1):
        with pytest.raises(strew.ArgumentError, match=f"^pytorch.index_add_: threads must be at least 1, got {wrong}$"):
            index_add(threads=wrong)


@pytest.mark.parametrize("threads", [1, 2, 3, 8, 2**40, 2**62, 2**63 - 1])
def test_any_number_of_threads_gives_the_same_bits(threads):
    assert index_add(threads=threads) == in_order()


COUNT_THREADS = """
import os, numpy as np, strew
def count(): return len(os.listdir("/proc/self/task"))
x, index, src = np.zeros((700, 512)), np.arange(3000) % 700, np.ones((3000, 512))
before = count()
strew.pytorch.index_add_(x, 0, index, src, threads=1)
assert count() == before
strew.pytorch.index_add_(x, 0, index, src, threads=2)
assert count() > before
"""


@threaded
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2 or not os.path.isdir("/proc/self/task"), reason="one processor, or no list of threads")
def test_threads_start_with_the_first_call_that_may_use_them():
    run_python(COUNT_THREADS)


def test_a_forked_child_computes():
    expected = index_add(threads=2)  # the parent's threads are running now
    child = os.fork()
    if child == 0:
        os._exit(0 if index_add(threads=2) == expected and threads_said(threads=2) == 1 else 1)
    deadline = time.monotonic() + 60
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    if ended == (0, 0):
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert ended == (child, 0)


def test_a_pool_of_forked_processes_computes():
    expected = index_add(threads=2)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(index_add, [2] * 6).get(timeout=60) == [expected] * 6


def test_calls_from_two_threads_with_two_threads_each():
    expected = in_order()
    with ThreadPoolExecutor(2) as pool:
        assert set(pool.map(index_add, [2] * 40)) == {expected}


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


MILLIONS = np.arange(4_000_000)
MOVING = {
    "a call": lambda x, src: strew.pytorch.scatter_add_(x, 0, MILLIONS, src),
    "making a plan": lambda x, src: strew.pytorch.scatter_add_.plan(x, 0, MILLIONS)(src, out=x),
    "applying a plan": lambda x, src: PLANS[0](src, out=x),
}
PLANS = []


@pytest.mark.parametrize("name", MOVING)
def test_the_lock_is_released_while_data_moves(name):
    """Another thread gets to run in the middle of a call, long before the interpreter would switch by itself."""
    x, src = np.zeros(4_000_000), np.ones(4_000_000)
    PLANS[:] = [strew.pytorch.scatter_add_.plan(x, 0, MILLIONS)]
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
            MOVING[name](x, src)
        end = time.perf_counter()
    finally:
        sys.setswitchinterval(before)
        stop.set()
        ticker.join()
    # A fifth of the time belongs to each call; ticks inside the middle three can only come from a released lock.
    inside = [at for at in ticks if start + (end - start) * 0.2 < at < start + (end - start) * 0.8]
    assert len(inside) >= 5
    assert (x == 5).all()


free_threaded = pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python cannot run without the interpreter lock")


@free_threaded
def test_importing_leaves_the_lock_off():
    """A module that does not say that it can do without switches the lock on, unless the environment forbids it. Here it would hide
    what the tests below are for."""
    assert not sys._is_gil_enabled()
    free = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    assert run_python("import sys, strew; print(sys._is_gil_enabled())", env=free) == "False\n"
    assert run_python("import sys, numpy, strew; print(sys._is_gil_enabled())", env=free) == "False\n"


TOGETHER = 8
FIRST_CALLS = f"""
import threading, numpy as np, strew
words, index, ones, start = np.array(["a", "b"], dtype=object), np.array([1, 1]), np.ones(2), threading.Barrier({TOGETHER})
said = []
def work():
    start.wait()
    x = np.zeros(3)
    strew.pytorch.scatter_add_(x, 0, index, ones)
    try:
        strew.pytorch.scatter_add_(x, 0, [7, 7], ones)
    except IndexError as error:
        bad = error.bad_index.value
    joined = strew.tensorflow.tensor_scatter_nd_add(words, [[1]], ["c"])
    said.append((x.tolist(), strew.pytorch.scatter_add(x, 0, index, [1, 1]).tolist(), bad, joined.tolist(), strew.pytorch.gather.__doc__[:12]))
threads = [threading.Thread(target=work) for _ in range({TOGETHER})]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert said == [([0, 2, 0], [0, 4, 0], 7, ["a", "bc"], "The elements")] * {TOGETHER}, said
"""


def test_first_calls_from_many_threads():
    """What Strew learns about a library, and imports, when it meets it first."""
    for _ in range(3):
        run_python(FIRST_CALLS)


READ_ONLY = [array.copy() for array in (START, INDEX, SRC)]
for _array in READ_ONLY:
    _array.flags.writeable = False
TOGETHER_PLAN = strew.pytorch.index_add_.plan(START, 0, INDEX)
CALLS_TOGETHER = {
    "in place": lambda start, index, src: strew.pytorch.index_add_(start.copy(), 0, index, src),
    "a result": lambda start, index, src: strew.pytorch.index_add(start, 0, index, src),
    "out": lambda start, index, src: strew.pytorch.index_add(start, 0, index, src, out=np.empty_like(start)),
    "a key": lambda start, index, src: (strew.numpy.add_at(out := start.copy(), index, src), out)[1],
    "one plan": lambda start, index, src: TOGETHER_PLAN(src, out=start.copy()),
    "plans": lambda start, index, src: strew.pytorch.index_add.plan(start, 0, index)(src, base=start),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", CALLS_TOGETHER)
def test_many_threads_at_once_give_the_serial_bits(name, threads, default_threads):
    """Each its own output; the same plan and the same inputs, which are read-only."""
    strew.set_threads(threads)
    expected, start = in_order(), threading.Barrier(TOGETHER)

    def work(_):
        start.wait()
        return {CALLS_TOGETHER[name](*READ_ONLY).tobytes() for _ in range(10)}

    with ThreadPoolExecutor(TOGETHER) as pool:
        assert list(pool.map(work, range(TOGETHER))) == [{expected}] * TOGETHER


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

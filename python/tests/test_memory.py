"""No leaks: memory and references after many calls, valid and invalid."""

import gc
import resource
import subprocess
import sys

import numpy as np
import pytest

import strew


def resident():
    """Returns the current memory of the process in bytes. The peak would hide a leak below an earlier peak."""
    with open("/proc/self/statm", encoding="ascii") as numbers:
        return int(numbers.read().split()[1]) * resource.getpagesize()


def repeat(times, call):
    for _ in range(times):
        call()


def growth(call, times):
    """Returns the bytes that each call leaks, after a first run has filled the caches."""
    repeat(times // 4, call)
    gc.collect()
    before = resident()
    repeat(times, call)
    gc.collect()
    return (resident() - before) / times


def refused(call):
    with pytest.raises(strew.Error):
        call()


F32, F64 = np.zeros(8, np.float32), np.zeros(1000)
INDEX, BAD_INDEX = np.arange(8), np.array([0, 9])
ONES = np.ones(8)
ONES_F32 = np.ones(8, np.float32)
MATRIX = np.zeros((2, 3))
WORDS = np.array(["a", "b"], dtype=object)
MASK = np.arange(8) % 2 == 0
PLAN, COPYING_PLAN = strew.pytorch.scatter_add_.plan(F32, 0, INDEX), strew.pytorch.scatter_add.plan(F32, 0, INDEX)
KEPT, KEPT_BYTES = [], bytearray()

LEVEL = {
    "in place": (lambda: strew.pytorch.scatter_add_(F32, 0, INDEX, src=ONES_F32), 1_000_000),
    "a result": (lambda: strew.pytorch.scatter_add(F64, 0, INDEX, ONES), 200_000),
    "an error": (lambda: refused(lambda: strew.pytorch.scatter_add_(F32, 0, BAD_INDEX, ONES_F32)), 30_000),
    "lists": (lambda: strew.tensorflow.tensor_scatter_nd_add([1.0, 2.0], [[0]], [1.0]), 20_000),
    "strings": (lambda: strew.tensorflow.tensor_scatter_nd_update(WORDS, [[0]], ["c"]), 20_000),
    "a key": (lambda: strew.numpy.add_at(MATRIX, (slice(None), [0, 1], None), 1.0), 30_000),
    "plans": (lambda: strew.pytorch.scatter_add_.plan(F32, 0, INDEX), 200_000),
    "plans of a mask": (lambda: strew.numpy.add_at.plan(F64[:8], MASK), 200_000),
    "plans with an error": (lambda: refused(lambda: strew.pytorch.scatter_add_.plan(F32, 0, BAD_INDEX)), 30_000),
    "a plan in place": (lambda: PLAN(ONES_F32, out=F32), 500_000),
    "a plan with a result": (lambda: COPYING_PLAN(ONES_F32, base=F32), 200_000),
    "a plan with an error": (lambda: refused(lambda: PLAN(ONES, out=F32)), 30_000),
}
# As many calls as the shortest run above, so that a leak of this size shows in every one.
LEAKING = {
    "16 bytes": (lambda: KEPT_BYTES.extend(b"0123456789abcdef"), 20_000),
    "a float, 24 bytes, and its place in a list": (lambda: KEPT.append(float("1.5")), 20_000),
}


def growth_alone(name):
    """In a separate process: gaps in the heap from other tests would hide a leak."""
    run = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, check=True)
    return float(run.stdout)


@pytest.mark.parametrize("name", LEVEL)
def test_memory_stays_level(name):
    assert growth_alone(name) < 8


@pytest.mark.parametrize("name", LEAKING)
def test_a_leak_shows(name):
    assert growth_alone(name) > 14


CALLS = {
    "a result": lambda a, i, s: strew.pytorch.scatter_add(a, 0, i, s),
    "in place": lambda a, i, s: strew.pytorch.scatter_add_(a, 0, i, s),
    "out": lambda a, i, s: strew.pytorch.scatter_add(a, 0, i, s, out=a),
    "a bad index": lambda a, i, s: refused(lambda: strew.pytorch.scatter_add(a, 0, i + 100, s)),
    "a bad dim": lambda a, i, s: refused(lambda: strew.pytorch.scatter_add(a, 100, i, s)),
    "a bad last argument": lambda a, i, s: refused(lambda: strew.pytorch.scatter_add(a, 0, i, object())),
    "a bad thread count": lambda a, i, s: refused(lambda: strew.pytorch.scatter_add(a, 0, i, s, threads=0)),
    "explained": lambda a, i, s: strew.explain(strew.pytorch.scatter_add_, a, 0, i, s),
    "a key": lambda a, i, s: strew.numpy.add_at(a, (i,), s),
    "a plan": lambda a, i, s: strew.pytorch.scatter_add_.plan(a, 0, i)(s, out=a),
    "a plan that copies": lambda a, i, s: strew.pytorch.scatter_add.plan(a, 0, i)(s, base=a),
    "a plan of a key": lambda a, i, s: strew.numpy.add_at.plan(a, (i,))(s, out=a),
    "a plan with a bad index": lambda a, i, s: refused(lambda: strew.pytorch.scatter_add.plan(a, 0, i + 100)),
    "a plan with bad updates": lambda a, i, s: refused(lambda: strew.pytorch.scatter_add.plan(a, 0, i)(object(), out=a)),
    "a bad key": lambda a, i, s: refused(lambda: strew.numpy.add_at(a, (i, i), s)),
}


@pytest.mark.parametrize("name", CALLS)
def test_references(name):
    a, i, s = np.zeros(4), np.array([0, 1]), np.ones(2)
    CALLS[name](a, i, s)
    gc.collect()
    before = [sys.getrefcount(x) for x in (a, i, s)]
    repeat(100, lambda: CALLS[name](a, i, s))
    gc.collect()
    assert [sys.getrefcount(x) for x in (a, i, s)] == before


if __name__ == "__main__":
    print(growth(*{**LEVEL, **LEAKING}[sys.argv[1]]))


def test_scratch_memory_is_kept_until_released():
    """In a separate process, with updates that are sorted before they are applied."""
    program = """
import resource
import numpy as np
import strew

def resident():
    with open("/proc/self/statm", encoding="ascii") as numbers:
        return int(numbers.read().split()[1]) * resource.getpagesize() >> 20

out, index, ones = np.ones(1 << 24, np.float32), np.random.default_rng(1).integers(0, 1 << 24, 1 << 22), np.ones(1 << 22, np.float32)

def call():
    strew.pytorch.scatter_add_(out, 0, index, ones)
    return resident()

call()
strew.release_scratch()
before = resident()
kept = call()
strew.release_scratch()
released = resident()
default = strew.get_scratch_limit()
strew.set_scratch_limit(0)
limited = call()
print(before, kept, released, limited, default)
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    before, kept, released, limited, default = map(int, result.stdout.split())
    assert default > 1 << 40
    assert kept > before + 16, "in MiB: what the call took is kept"
    assert released < before + 4 and limited < before + 4, (before, kept, released, limited)

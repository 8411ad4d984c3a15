"""Nothing is kept: memory and references after very many calls, good and bad."""

import gc
import resource
import sys

import numpy as np
import pytest

import strew


def peak():
    """The most memory that the process ever had, in kB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def repeat(times, call):
    for _ in range(times):
        call()


def stays_level(call, times):
    """No growth in a second run that is as long as the first. A leak of 16 bytes a call would show."""
    repeat(times // 10, call)
    gc.collect()
    before = peak()
    repeat(times, call)
    gc.collect()
    assert peak() - before < max(1024, times * 16 // 1024)


def test_a_million_calls_in_place():
    x, index, src = np.zeros(8, np.float32), np.arange(8), np.ones(8, np.float32)
    f = strew.pytorch.scatter_add_
    stays_level(lambda: f(x, 0, index, src=src), 1_000_000)


def test_results():
    x, index, src = np.zeros(1000), np.arange(8), np.ones(8)
    stays_level(lambda: strew.pytorch.scatter_add(x, 0, index, src), 200_000)


def refused(call):
    with pytest.raises(strew.Error):
        call()


def test_errors():
    x, index, src = np.zeros(8), np.array([0, 9]), np.ones(2)
    stays_level(lambda: refused(lambda: strew.pytorch.scatter_add_(x, 0, index, src)), 50_000)


def test_lists_strings_and_keys():
    x = np.zeros((2, 3))
    words = np.array(["a", "b"], dtype=object)
    stays_level(lambda: strew.tensorflow.tensor_scatter_nd_add([1.0, 2.0], [[0]], [1.0]), 30_000)
    stays_level(lambda: strew.tensorflow.tensor_scatter_nd_update(words, [[0]], ["c"]), 20_000)
    stays_level(lambda: strew.numpy.add_at(x, (slice(None), [0, 1], None), 1.0), 50_000)


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

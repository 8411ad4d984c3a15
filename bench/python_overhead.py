"""What a call costs when there is next to nothing to do: 8 float32 elements, in place, from Python. And what `places` costs for 2^20 points.

    python bench/python_overhead.py [--places]

Prints nanoseconds a call, and how many times that of the first line. All lines are measured in turn, several times, and the
best counts, so that they share the machine's moods.
"""
import sys
import timeit

import numpy as np

import strew

CALLS, ROUNDS = 20_000, 25


def numpy_calls():
    x, index, src = np.zeros(8, np.float32), np.arange(8), np.ones(8, np.float32)
    f, g = strew.pytorch.scatter_add_, strew.numpy.add_at
    return {
        "strew.pytorch.scatter_add_, NumPy arrays": lambda: f(x, 0, index, src),
        "strew.numpy.add_at, NumPy arrays": lambda: g(x, index, src),
        "numpy.add.at": lambda: np.add.at(x, index, src),
    }


def torch_calls():
    try:
        import torch
    except ImportError:
        return {}
    x, index, src = torch.zeros(8), torch.arange(8), torch.ones(8)
    f, g = strew.pytorch.scatter_add_, strew.pytorch.index_add_
    return {
        "strew.pytorch.scatter_add_, torch tensors": lambda: f(x, 0, index, src),
        "torch.Tensor.scatter_add_": lambda: x.scatter_add_(0, index, src),
        "strew.pytorch.index_add_, torch tensors": lambda: g(x, 0, index, src),
        "torch.Tensor.index_add_": lambda: x.index_add_(0, index, src),
    }


def with_numpy(shape, tuples):
    """The places of tuples that may be negative, checked as strew.places checks them."""
    columns = [np.where(column < 0, column + size, column) for column, size in zip(tuples.T, shape)]
    return np.ravel_multi_index(columns, shape)  # raises if one is out of range


def measure_places():
    x, tuples = np.zeros((1024, 1024), np.float32), np.random.default_rng(1).integers(-1024, 1024, (1 << 20, 2))
    assert (strew.places(strew.onnx.scatter_nd, x, tuples) == with_numpy(x.shape, tuples)).all()
    for threads in (1, 2):
        best = min(timeit.repeat(lambda: strew.places(strew.onnx.scatter_nd, x, tuples, threads=threads), number=1, repeat=ROUNDS))
        print(f"strew.places, 2^20 tuples, threads={threads}  {best * 1e3:6.2f} ms")
    print(f"np.where and np.ravel_multi_index       {min(timeit.repeat(lambda: with_numpy(x.shape, tuples), number=1, repeat=ROUNDS)) * 1e3:6.2f} ms")


def main():
    if "--places" in sys.argv[1:]:
        return measure_places()
    calls = {**numpy_calls(), **torch_calls()}
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            best[name] = min(best[name], timeit.timeit(call, number=CALLS) / CALLS * 1e9)
    empty = min(timeit.repeat(lambda: None, number=CALLS, repeat=ROUNDS)) / CALLS * 1e9
    first = next(iter(best.values())) - empty
    for name, nanoseconds in best.items():
        print(f"{name:42}{nanoseconds - empty:8.0f} ns {(nanoseconds - empty) / first:6.2f} x")


if __name__ == "__main__":
    main()

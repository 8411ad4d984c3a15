"""What a call costs when there is next to nothing to do: 8 float32 elements, in place, from Python.

    python bench/python_overhead.py

Prints nanoseconds a call, and how many times that of the first line. All lines are measured in turn, several times, and the
best counts, so that they share the machine's moods.
"""
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


def main():
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

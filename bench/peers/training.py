"""Forward and backward pass together, Strew beside torch, on one and two threads.

    python bench/peers/training.py [--only TEXT] [--rounds 9]

Both take turns in one process. Prints the median time of each, in milliseconds, and how many times faster Strew is; a call of 8 elements is
in microseconds. Needs torch and Strew in the environment. The graph network is that of examples/graph_network.py.
"""
import argparse
import pathlib
import statistics
import sys
import time

import torch

import strew

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples"))
import graph_network  # noqa: E402

TARGETS, POINTS = 100_000, 400_000


def rows(width, generator):
    """As many bytes for each width."""
    targets, points = TARGETS * 64 // width, POINTS * 64 // width
    index = torch.randint(targets, (points,), generator=generator)
    return torch.randn(targets, width, generator=generator), index, torch.randn(points, width, generator=generator)


def differentiated(function, *leaves):
    """A call that computes the gradient of the leaves."""
    leaves = [leaf.clone().requires_grad_() for leaf in leaves]
    cotangent = torch.randn_like(function(*leaves))
    return lambda: torch.autograd.grad(function(*leaves), leaves, cotangent)


def workloads():
    """name: (torch's call, Strew's)"""
    generator = torch.Generator().manual_seed(1)
    own = strew.pytorch
    for width in (64, 256):
        x, index, src = rows(width, generator)
        yield f"index_add, rows of {width}", lambda: (
            differentiated(lambda s: torch.zeros_like(x).index_add_(0, index, s), src),
            differentiated(lambda s: own.index_add_(torch.zeros_like(x), 0, index, s), src))
        yield f"gather, rows of {width}", lambda: (
            differentiated(lambda x: x.index_select(0, index), x), differentiated(lambda x: strew.gather(x, index), x))
    x, index, src = (part.reshape(-1) for part in rows(1, generator))
    x, index, src = x[:TARGETS], index[:4 * POINTS] % TARGETS, src[:4 * POINTS]
    for word in ("mean", "amax"):
        yield f"scatter_reduce {word}", lambda: (
            differentiated(lambda x, s: x.scatter_reduce(0, index, s, word), x, src),
            differentiated(lambda x, s: own.scatter_reduce(x, 0, index, s, word), x, src))
    yield "scatter, duplicates", lambda: (
        differentiated(lambda x, s: x.scatter(0, index, s), x, src), differentiated(lambda x, s: own.scatter(x, 0, index, s), x, src))
    yield "gather, elements", lambda: (
        differentiated(lambda x: x.gather(0, index), x), differentiated(lambda x: own.gather(x, 0, index), x))
    few, at, ones = torch.zeros(8), torch.arange(8), torch.ones(8)
    yield "scatter_add, 8 elements", lambda: (
        differentiated(lambda s: few.scatter_add(0, at, s), ones), differentiated(lambda s: own.scatter_add(few, 0, at, s), ones))
    graph = graph_network.generate(20_000, torch.Generator().manual_seed(1))
    yield "a step of the graph network", lambda: tuple(
        lambda passes=passes: graph_network.train(passes, graph, 1) for passes in (graph_network.Torch, graph_network.Strew))


def seconds(call, batch):
    start = time.perf_counter()
    for _ in range(batch):
        call()
    return (time.perf_counter() - start) / batch


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    print(f"{'workload':30}{'threads':>8}{'torch':>10}{'strew':>10}{'ratio':>8}")
    for name, make in workloads():
        if options.only not in name:
            continue
        calls, scale, batch = make(), 1e6 if "8 elements" in name else 1e3, 500 if "8 elements" in name else 1
        for threads in (1, 2):
            torch.set_num_threads(threads)
            strew.set_threads(threads)
            times = [[seconds(call, batch) for call in calls] for _ in range(options.rounds + 1)][1:]
            torchs, strews = (statistics.median(column) for column in zip(*times))
            print(f"{name:30}{threads:8}{torchs * scale:10.1f}{strews * scale:10.1f}{torchs / strews:8.2f}", flush=True)


if __name__ == "__main__":
    main()

"""Trains a graph network in PyTorch, with the same messages passed by Strew and by torch, and draws the loss and the time of each step.

    python examples/graph_network.py                      20,000 nodes, 40 steps; writes graph_network.svg
    python examples/graph_network.py --nodes 500 --steps 10 --plot ""

The graph is generated: nodes belong to one of eight groups, three quarters of all edges stay inside a group, and the features of a node say
little about its group. Nodes learn it from their neighbours.
"""

import argparse
import time

import torch
from torch import nn

import strew

GROUPS, WIDTH, DEGREE = 8, 64, 10


def generate(nodes, generator):
    """Features, edges as two rows of node numbers, and the group of each node."""
    group = torch.randint(GROUPS, (nodes,), generator=generator)
    by_group = torch.argsort(group)
    first = torch.searchsorted(group[by_group], torch.arange(GROUPS))
    size = torch.bincount(group, minlength=GROUPS)
    target = torch.randint(nodes, (nodes * DEGREE,), generator=generator)
    friend = by_group[first[group[target]] + (torch.rand(len(target), generator=generator) * size[group[target]]).long()]
    stranger = torch.randint(nodes, (len(target),), generator=generator)
    source = torch.where(torch.rand(len(target), generator=generator) < 0.75, friend, stranger)
    features = torch.randn(nodes, WIDTH, generator=generator)
    features[torch.arange(nodes), group] += 1
    return features, torch.stack([source, target]), group


class Torch:
    """Messages by torch's own functions."""

    gather = staticmethod(lambda x, index: x.index_select(0, index))
    add = staticmethod(lambda out, index, messages: out.index_add_(0, index, messages))


class Strew:
    """The same messages by Strew."""

    gather = staticmethod(strew.gather)
    add = staticmethod(lambda out, index, messages: strew.pytorch.index_add_(out, 0, index, messages))


class Layer(nn.Module):
    def __init__(self, passes, width):
        super().__init__()
        self.passes, self.own, self.received = passes, nn.Linear(WIDTH, width), nn.Linear(WIDTH, width)

    def forward(self, x, edges):
        source, target = edges
        messages = self.passes.gather(x, source)
        total = self.passes.add(torch.zeros_like(x), target, messages)
        return self.own(x) + self.received(total / DEGREE)


class Network(nn.Module):
    def __init__(self, passes):
        super().__init__()
        self.first, self.second = Layer(passes, WIDTH), Layer(passes, GROUPS)

    def forward(self, x, edges):
        return self.second(torch.relu(self.first(x, edges)), edges)


def train(passes, graph, steps):
    """The loss and the seconds of every step."""
    torch.manual_seed(0)
    features, edges, group = graph
    network, losses, seconds = Network(passes), [], []
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(steps):
        start = time.perf_counter()
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(network(features, edges), group)
        loss.backward()
        optimizer.step()
        seconds.append(time.perf_counter() - start)
        losses.append(loss.item())
    return losses, seconds


def curve(values, top, left, color):
    points = " ".join(f"{left + 300 * i / max(len(values) - 1, 1):.1f},{190 - 150 * v / top:.1f}" for i, v in enumerate(values))
    return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>'


def plot(results, path):
    """Two diagrams side by side: the loss, and the milliseconds of each step."""
    colors = {"Strew": "#0072b2", "torch": "#d55e00"}
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="760" height="230" font-family="sans-serif" font-size="12">']
    for left, title, values in (
        (50, "loss", {name: losses for name, (losses, _) in results.items()}),
        (430, "milliseconds a step", {name: [1000 * s for s in seconds[1:]] for name, (_, seconds) in results.items()}),
    ):
        top = max(max(own) for own in values.values())
        parts.append(f'<path d="M{left},40 V190 H{left + 300}" fill="none" stroke="black"/><text x="{left}" y="25">{title}</text>')
        parts.append(f'<text x="{left - 5}" y="45" text-anchor="end">{top:.3g}</text><text x="{left - 5}" y="194" text-anchor="end">0</text>')
        parts += [curve(own, top, left, colors[name]) for name, own in values.items()]
    parts += [f'<text x="{50 + 100 * i}" y="218" fill="{color}">{name}</text>' for i, (name, color) in enumerate(colors.items())]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*parts, "</svg>\n"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--plot", default="graph_network.svg", help="the file to draw into; empty: none")
    options = parser.parse_args()
    graph = generate(options.nodes, torch.Generator().manual_seed(1))
    results = {"torch": train(Torch, graph, options.steps), "Strew": train(Strew, graph, options.steps)}
    for name, (losses, seconds) in results.items():
        median = 1000 * sorted(seconds)[len(seconds) // 2]
        print(f"{name:6} loss {losses[0]:.3f} -> {losses[-1]:.3f}, {median:.1f} ms a step")
    if options.plot:
        plot(results, options.plot)


if __name__ == "__main__":
    main()

"""Sends rows from many sources to many blocks in stages, so that neither the tasks nor the inputs of one task grow with their product."""

from __future__ import annotations

from functools import partial
from math import ceil, log
from typing import Any

from . import _routes as routes

FAN = 16  # the largest number of inputs of one task


def exchange(graph: dict[Any, Any], name: str, label: tuple[int, ...], sources: list[Any], blocks: int) -> list[list[Any]]:
    """Adds tasks that join consecutive sources and split their targets, until one task can take what goes to a block. Returns for each block
    the keys of what holds its rows, in the order of the sources."""
    stages = max(1, ceil(log(max(len(sources), blocks, 2)) / log(FAN) - 1e-9))
    held = [[key] for key in sources]  # by source, then by range
    ranges = [(0, blocks)]
    for stage in range(stages - 1):
        left = stages - stage
        fan, ways = root(len(held), left), root(max(end - first for first, end in ranges), left)
        split = [(parent, *part) for parent, whole in enumerate(ranges) for part in cut(*whole, ways)]
        joined: list[list[Any]] = []
        for at in range(0, len(held), fan):
            group = held[at:at + fan]
            row: list[Any] = []
            for parent, first, end in split:
                key = (name, *label, stage, len(joined), first)
                graph[key] = (partial(routes.joined, first, end), [one[parent] for one in group])
                row.append(key)
            joined.append(row)
        held, ranges = joined, [part[1:] for part in split]
    return [[one[at] for one in held] for at, (first, end) in enumerate(ranges) for _ in range(first, end)]


def root(number: int, degree: int) -> int:
    """The smallest integer whose power is at least the number."""
    guess = max(1, int(round(float(number) ** (1 / degree))))
    while guess**degree < number:
        guess += 1
    while guess > 1 and (guess - 1) ** degree >= number:
        guess -= 1
    return guess


def cut(first: int, end: int, ways: int) -> list[tuple[int, int]]:
    """At most `ways` ranges of nearly equal length, none empty."""
    ways = max(1, min(ways, end - first))
    bounds = [first + (end - first) * at // ways for at in range(ways + 1)]
    return list(zip(bounds, bounds[1:]))

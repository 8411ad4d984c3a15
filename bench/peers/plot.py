#!/usr/bin/env python3
"""Draws the figures of a run as SVG: for each workload, how many times faster than the best correct peer Strew is on two threads.

    bench/peers/run --json build/peers/all.json
    bench/peers/plot.py build/peers/all.json docs/performance.svg
"""
import html
import itertools
import json
import math
import sys

from report import summary
from workloads import FAMILIES, WORDS

# Middle tones on no background: they can be read on white and on black.
TEXT, AHEAD, BEHIND, GOAL = "#768390", "#2f81f7", "#b0769a", "#d29922"
ROW, GAP, TOP, LABELS, BARS, COLUMN = 15, 24, 50, 172, 200, 460
LOW, HIGH = 0.25, 16  # the axis: ratios on a logarithmic scale, 1 is a tie
MARKS = (0.25, 0.5, 1, 2, 4, 8, 16)


def across(ratio):
    """Where a ratio is, from the left end of the bars."""
    inside = min(max(ratio, LOW), HIGH)
    return BARS * math.log(inside / LOW) / math.log(HIGH / LOW)


def text(x, y, words, anchor="start", size=10, colour=TEXT, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" fill="{colour}">'
            f"{html.escape(words)}</text>")


def line(x, top, bottom, colour, width, opacity=1.0):
    return (f'<line x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{bottom:.1f}" stroke="{colour}" stroke-width="{width}" '
            f'stroke-opacity="{opacity}"/>')


def bar(x, y, name, row):
    """The bar goes from the tie to the ratio; the goal is a mark across it."""
    start, end = sorted((across(1), across(row["ratio"])))
    colour = AHEAD if row["ratio"] >= 1 else BEHIND
    yield text(x + LABELS - 8, y + 10, WORDS[name], "end")
    yield f'<rect x="{x + LABELS + start:.1f}" y="{y + 2}" width="{end - start:.1f}" height="{ROW - 5}" fill="{colour}"/>'
    yield text(x + LABELS + BARS + 6, y + 10, f"{row['ratio']:.2f}x", colour=TEXT)
    if row["goal"]:
        yield line(x + LABELS + across(row["goal"]), y, y + ROW - 1, GOAL, 2)


def group(x, y, family, rows):
    yield text(x + LABELS - 8, y + 11, FAMILIES[family], "end", 11, weight="bold")
    for at, (name, row) in enumerate(rows):
        yield from bar(x, y + 16 + at * ROW, name, row)


def height(rows):
    return 16 + len(rows) * ROW + GAP - ROW


def axis(x, bottom):
    for mark in MARKS:
        yield line(x + LABELS + across(mark), TOP - 6, bottom, TEXT, 1, 1 if mark == 1 else 0.3)
        yield text(x + LABELS + across(mark), TOP - 10, f"{mark:g}x", "middle", 9)


def families(results):
    rows = [(workload, summary(workload, results["memcpy"])) for workload in results["workloads"] if workload["family"] != "growth"]
    rows = [(workload["family"], (workload["name"], row)) for workload, row in rows if row["ratio"]]
    return [(family, [row for _, row in group]) for family, group in itertools.groupby(rows, key=lambda pair: pair[0])]


def columns(groups):
    """Two columns of about the same height."""
    total, done = sum(height(rows) for _, rows in groups), 0
    halves = ([], [])
    for family, rows in groups:
        halves[done + height(rows) / 2 > total / 2].append((family, rows))
        done += height(rows)
    return [half for half in halves if half]


def draw(results):
    halves = columns(families(results))
    bottom = TOP + max(sum(height(rows) for _, rows in half) for half in halves)
    parts = [
        text(8, 16, "Strew on two threads: times as fast as the best correct peer", size=12, weight="bold"),
        f'<rect x="{COLUMN}" y="8" width="14" height="9" fill="{AHEAD}"/>', text(COLUMN + 19, 16, "ahead"),
        f'<rect x="{COLUMN + 70}" y="8" width="14" height="9" fill="{BEHIND}"/>', text(COLUMN + 89, 16, "behind"),
        line(COLUMN + 147, 6, 19, GOAL, 2), text(COLUMN + 154, 16, "goal: at least this far"),
    ]
    for at, half in enumerate(halves):
        x, y = at * COLUMN, TOP
        parts += axis(x, bottom)
        for family, rows in half:
            parts += group(x, y, family, rows)
            y += height(rows)
    width = COLUMN * len(halves)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 8}" width="{width}" height="{bottom + 8}" '
            'font-family="ui-sans-serif, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">\n' + "\n".join(parts) + "\n</svg>\n")


def main():
    if len(sys.argv) != 3 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__.strip())
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(draw(results))


if __name__ == "__main__":
    main()

"""The workloads, one row each: what is scattered where, and how far ahead of the best correct peer Strew wants to be."""
from dataclasses import dataclass, replace
from typing import Optional


@dataclass(frozen=True)
class Workload:
    family: str  # a group of bars in the plot
    name: str
    kind: str  # flat: one dimension; rows: whole rows; elements: an index for each element; nd: tuples of indices
    op: str  # add, assign, amax, mul, mean, gather
    dtype: str
    shape: tuple  # of the target; of the source of a gather
    count: tuple  # shape of the indices, without the depth of a tuple
    goal: Optional[float] = None  # at least this many times faster than the best correct peer, on two threads
    spread: str = "uniform"  # how indices are spread over the targets: one of SPREADS in problem.py
    axis: int = 0
    depth: int = 1
    rounding: str = "every"  # of 16-bit sums: after every update, or once at the end
    per: str = "update"  # what one figure is the time of: an update (a row is one), or a call
    aligned: bool = True  # arrays begin with a cache line, as those of the frameworks do; NumPy's begin 16 bytes behind one
    shared: bool = False  # so large that only peers which take NumPy's memory take part


def flat(family, name, targets, goal, op="add", dtype="float32", spread="uniform", updates=2**24, per="update"):
    return Workload(family, name, "flat", op, dtype, (targets,), (updates,), goal, spread, per=per)


def rows(family, name, targets, width, updates, goal, op="add", dtype="float32", spread="uniform", rounding="every"):
    return Workload(family, name, "rows", op, dtype, (targets, width), (updates,), goal, spread, rounding=rounding)


def elements(name, shape, axis, count, goal, op="add", dtype="float32", spread="uniform"):
    return Workload("elements", name, "elements", op, dtype, shape, count, goal, spread, axis)


def nd(family, name, shape, depth, updates, goal, op="add", dtype="float32", spread="tuples", per="update"):
    return Workload(family, name, "nd", op, dtype, shape, (updates,), goal, spread, depth=depth, per=per)


WORKLOADS = [
    flat("1-D add", "add 2^10", 2**10, 1.2),
    flat("1-D add", "add 2^16", 2**16, 1.2),
    flat("1-D add", "add 2^20", 2**20, 1.7),
    flat("1-D add", "add 2^22", 2**22, 2.5),
    flat("1-D add", "add 2^24", 2**24, 3.5),
    flat("1-D add", "add 2^26", 2**26, 2.5),
    flat("1-D add, skewed", "add 2^20 zipf", 2**20, 1.7, spread="zipf"),
    flat("1-D add, skewed", "add 2^24 zipf", 2**24, 2.0, spread="zipf"),
    flat("1-D add, skewed", "add one target", 2**20, 2.5, spread="one"),
    flat("1-D add, skewed", "add 2^22 sorted", 2**22, 2.0, spread="ascending"),
    flat("1-D assign", "assign 2^10", 2**10, 2.3, "assign"),
    flat("1-D assign", "assign 2^16", 2**16, 2.3, "assign"),
    flat("1-D assign", "assign 2^20", 2**20, 1.3, "assign"),
    flat("1-D assign", "assign 2^22", 2**22, 1.3, "assign"),
    flat("1-D assign", "assign 2^24", 2**24, 2.0, "assign"),
    flat("1-D assign", "assign 2^26", 2**26, 2.0, "assign"),
    flat("1-D assign", "assign one target", 2**20, None, "assign", spread="one"),
    flat("1-D assign", "assign 2^22 sorted", 2**22, None, "assign", spread="ascending"),
    flat("1-D amax, mul", "amax 2^10", 2**10, 1.2, "amax"),
    flat("1-D amax, mul", "amax 2^16", 2**16, 1.2, "amax"),
    flat("1-D amax, mul", "amax 2^20", 2**20, 1.7, "amax"),
    flat("1-D amax, mul", "mul 2^10", 2**10, 1.2, "mul"),
    flat("1-D amax, mul", "mul 2^16", 2**16, 1.2, "mul"),
    flat("1-D amax, mul", "mul 2^20", 2**20, 1.7, "mul"),
    flat("1-D add f64", "add f64 2^16", 2**16, 1.2, dtype="float64"),
    flat("1-D add f64", "add f64 2^20", 2**20, 1.7, dtype="float64"),
    flat("1-D add f64", "add f64 2^24", 2**24, 3.5, dtype="float64"),
    flat("histogram, mean", "histogram i64 256", 2**8, 1.8, dtype="int64"),
    flat("histogram, mean", "histogram i64 65536", 2**16, 1.8, dtype="int64"),
    flat("histogram, mean", "mean 2^20", 2**20, 4.0, "mean"),
    rows("rows", "rows of 3", 2**20, 3, 2**22, None),
    rows("rows", "rows of 4", 2**20, 4, 2**22, 1.8),
    rows("rows", "rows of 16", 2**19, 16, 2**22, 1.5),
    replace(rows("rows", "rows of 16, NumPy's memory", 2**19, 16, 2**22, None), aligned=False),
    rows("rows", "rows of 64", 2**17, 64, 2**20, 2.2),
    rows("rows", "rows of 128", 2**16, 128, 2**19, 2.2),
    rows("rows", "rows of 256", 2**16, 256, 2**18, 1.7),
    rows("rows", "W3 graph batch", 135361, 256, 477263, 2.0, spread="zipf"),
    rows("rows", "W5 as rows", 556416, 80, 481385, 1.6),
    rows("rows", "W7 / 16, half on one row", 107500, 128, 485600, 1.4, spread="hot"),
    rows("rows assign", "rows of 64, 8 writers each", 2**17, 64, 2**20, 8.0, "assign"),
    rows("rows assign", "rows of 3 assigned", 2**20, 3, 2**22, None, "assign"),
    rows("rows assign", "rows of 64, half of them", 2**18, 64, 2**17, None, "assign"),
    elements("W5 as elements", (556416, 80), 0, (481385, 80), 5.0, spread="shared"),
    elements("W16 amax", (128, 64, 128), 1, (128, 256, 128), 1.6, "amax"),
    elements("W16 add", (128, 64, 128), 1, (128, 256, 128), 1.6),
    elements("W16 mean f16", (128, 64, 128), 1, (128, 256, 128), 5.0, "mean", "float16"),
    elements("W17 last axis", (1024, 128256), 1, (1024, 50), 1.5, "assign"),
    rows("bf16 rows", "W19 rounded once", 8192, 4096, 16384, 1.2, dtype="bfloat16", spread="twice", rounding="once"),
    rows("bf16 rows", "W19 rounded every update", 8192, 4096, 16384, 4.0, dtype="bfloat16", spread="twice"),
    nd("ND", "depth 2", (2048, 2048), 2, 2**22, 3.0),
    nd("ND", "depth 3, W13 / 4", (704, 800, 41, 4), 3, 200_000, 3.0, spread="clustered"),
    nd("calls", "W18 KV cache", (32, 8, 4096, 128), 3, 256, 4.0, "assign", "bfloat16", "tokens", per="call"),
    flat("calls", "8 elements", 8, 2.0, updates=8, per="call"),
    flat("gather", "gather 2^20", 2**20, None, "gather"),
    flat("gather", "gather 2^24", 2**24, None, "gather"),
    rows("gather", "gather rows of 64", 2**17, 64, 2**20, None, "gather"),
    *[flat("growth", f"2^{n} updates", 2**20, None, updates=2**n) for n in (16, 18, 20, 22, 24, 26)],
]
LARGE = [replace(flat("growth", "2^28 updates", 2**20, None, updates=2**28), shared=True)]

# What the plot says in place of a family and of a name.
FAMILIES = {
    "1-D add": "add to a vector of",
    "1-D add, skewed": "add, indices not uniform",
    "1-D assign": "replace in a vector of",
    "1-D amax, mul": "maximum, product",
    "1-D add f64": "add float64 to a vector of",
    "histogram, mean": "histogram, mean",
    "rows": "add rows of",
    "rows assign": "replace rows of",
    "elements": "an index for each element",
    "bf16 rows": "add rows of bfloat16",
    "ND": "add at tuples of indices",
    "calls": "short calls",
    "gather": "gather",
}
WORDS = {
    **{f"{op} 2^{n}": f"2^{n} elements" for op in ("add", "assign") for n in (10, 16, 20, 22, 24, 26)},
    **{f"add f64 2^{n}": f"2^{n} elements" for n in (16, 20, 24)},
    "add 2^20 zipf": "2^20, a few very often",
    "add 2^24 zipf": "2^24, a few very often",
    "add one target": "all to one element",
    "add 2^22 sorted": "2^22, in ascending order",
    "assign one target": "all to one element",
    "assign 2^22 sorted": "2^22, in ascending order",
    **{f"amax 2^{n}": f"maximum, 2^{n} elements" for n in (10, 16, 20)},
    **{f"mul 2^{n}": f"product, 2^{n} elements" for n in (10, 16, 20)},
    "histogram i64 256": "histogram of 256 bins",
    "histogram i64 65536": "histogram of 65,536 bins",
    "mean 2^20": "mean, 2^20 elements",
    **{f"rows of {width}": f"{width} floats" for width in (3, 4, 16, 64, 128, 256)},
    "rows of 16, NumPy's memory": "16 floats, NumPy's memory",
    "W3 graph batch": "256, a batch of a graph",
    "W5 as rows": "80, a large table",
    "W7 / 16, half on one row": "128, half of them to one row",
    "rows of 64, 8 writers each": "64 floats, each 8 times",
    "rows of 3 assigned": "3 floats",
    "rows of 64, half of them": "64 floats, half of the rows",
    "W5 as elements": "add to a large table",
    "W16 amax": "maximum along a middle axis",
    "W16 add": "add along a middle axis",
    "W16 mean f16": "mean of float16, middle axis",
    "W17 last axis": "replace 50 in each row",
    "W19 rounded once": "rounded once, at the end",
    "W19 rounded every update": "rounded after every update",
    "depth 2": "pairs, into a matrix",
    "depth 3, W13 / 4": "triples, into a 3-D grid",
    "W18 KV cache": "256 rows of a key cache",
    "8 elements": "8 elements",
    "gather 2^20": "from 2^20 elements",
    "gather 2^24": "from 2^24 elements",
    "gather rows of 64": "rows of 64 floats",
}

"""Compiles loops.c for a case and calls it. It is the plain loop in the table, and the answer that all others are compared with."""
import ctypes
import os
import subprocess

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "loops.c")
HOME = os.path.join(HERE, "..", "..", "build", "peers", "loops")

ELEMENTS = {"float16": "_Float16", "float32": "float", "float64": "double", "int64": "int64_t", "bfloat16": "uint16_t"}
STEPS = {"add": "((a) + (b))", "mean": "((a) + (b))", "mul": "((a) * (b))", "amax": "((a) < (b) ? (b) : (a))",
         "assign": "(b)", "gather": "(b)"}


def library(dtype, op, depth, width):
    path = os.path.join(HOME, f"{dtype}-{op}-{depth}-{width}.so")
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(SOURCE):
        os.makedirs(HOME, exist_ok=True)
        step = "add_bfloat16(a, b)" if (dtype, op) == ("bfloat16", "add") else STEPS[op]
        subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", f"-DELEMENT={ELEMENTS[dtype]}", f"-DSTEP(a, b)={step}",
                        f"-DDEPTH={depth}", f"-DWIDTH={width}", SOURCE, "-o", path], check=True)
    return ctypes.CDLL(path)


def address(array):
    return ctypes.c_void_p(array.ctypes.data)


def loop(problem, out, updates):
    """A call of the loop for this problem, on `out`."""
    functions = library(updates.dtype.name, problem.op, problem.depth, problem.width)
    index, numbers = problem.index, [ctypes.c_int64(n) for n in problem.blocks()]
    if problem.op == "mean" or problem.workload.kind == "elements":
        function = functions.mean_elements if problem.op == "mean" else functions.scatter_elements
        arguments = [address(out), *numbers[:3], address(index), address(updates), numbers[3]]
    else:
        extents = np.array(problem.workload.shape[:problem.depth], np.int64)
        function = functions.gather if problem.op == "gather" else functions.scatter
        arguments = [address(out), address(extents), address(index), address(updates), ctypes.c_int64(problem.updates_count())]
        arguments[1].keep = extents
    function.restype = ctypes.c_int64
    return lambda: function(*arguments)


def answer(problem, rounding):
    """What the law says: the serial loop, in float32 where 16-bit sums round once."""
    inputs = problem.source if problem.op == "gather" else problem.updates
    working = np.float32 if problem.dtype.itemsize == 2 and (rounding == "once" or problem.op == "mean") else problem.dtype
    out, inputs = problem.initial.astype(working), inputs.astype(working, copy=False)
    if loop(problem, out, inputs)() != problem.updates_count():
        raise RuntimeError("the plain loop did not reach its end")
    return out.astype(problem.dtype, copy=False)


def answers(problem):
    """The right answer, and the one that is right for whoever rounds 16-bit sums the other way."""
    right = {"right": answer(problem, problem.rounding)}
    if problem.dtype.itemsize == 2 and problem.op == "add":
        right["rounded otherwise"] = answer(problem, "every" if problem.rounding == "once" else "once")
    return right


def has_loop(problem):
    """None that rounds bfloat16 once: it needs memory of its own, and is not plain. None for a few bytes: they show what ctypes costs."""
    return problem.rounding != "once" and problem.out.nbytes > 1024

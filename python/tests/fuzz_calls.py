"""Random calls of every operator, with valid and invalid arguments. Checks that the process survives, errors are of an allowed class with
a message of bounded length and leave the output unchanged, inputs never change, results equal those of a plain loop, and the numpy dialect
accepts, rejects and computes as NumPy does, except for the documented differences (DIFFERENCES below).

    python fuzz_calls.py [--seconds 10] [--seed 1] [--only EXECUTION]

Each execution follows from the seed and its number alone: --only repeats one."""

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from fuzz_arguments import DTYPES, EDGES, WORDS, Plain, key, laid_out, odd, values

import strew

LONGEST_MESSAGE = 4096  # bytes
CALM = ("builtins", "numpy", "numpy.ma", "numpy.matrixlib.defmatrix", "array", "decimal", "ml_dtypes")  # the modules of harmless types
# What an update does in operators of one index for each update, by a part of their name or by their word.
STEPS = {"add": np.add, "sum": np.add, "sub": np.subtract, "mul": np.multiply, "multiply": np.multiply, "prod": np.multiply, "min": np.minimum,
         "amin": np.minimum, "max": np.maximum, "amax": np.maximum, "update": None, "none": None, "assign": None}


class Found(Exception):
    """A guarantee that a call violated."""


def fitting(rng, operator):
    """Valid arguments for one axis, as arrays, and the dtype of the data."""
    size, count, dtype = rng.randint(1, 6), rng.randint(0, 6), rng.choice(DTYPES)
    inside = rng.random() < 0.8
    places = [rng.randrange(size) if inside else rng.randint(-size - 1, size) for _ in range(count)]
    index_dtype = "u4" if operator.dialect == "directml" else rng.choice(["i8", "i8", "i4"])
    indices = np.array(places, np.int64).astype(index_dtype)
    is_nd = "_nd" in operator.__name__
    arguments = {}
    for name, kind, _, default in operator.parameters:
        kind = kind.split()[0]
        if kind in ("tensor", "target"):
            arguments[name] = values(rng, (size,), dtype)
        elif kind in ("updates", "source"):
            arguments[name] = values(rng, (count,), dtype) if rng.random() < 0.9 else values(rng, (), dtype)
        elif kind == "indices":
            arguments[name] = indices.reshape(count, 1) if is_nd else indices
        elif kind == "columns":
            arguments[name] = rng.choice([indices, (indices,), indices.tolist()])
        elif kind == "index_key":
            arguments[name] = key(rng, size) if rng.random() < 0.7 else indices
        elif kind == "shape":
            arguments[name] = rng.choice([[size], (size,), np.array([size])])
        elif not default or rng.random() < 0.3:
            arguments[name] = {"integer": lambda: rng.choice([0, 0, -1, 1, 16, 18]), "boolean": lambda: rng.random() < 0.5,
                               "word": lambda: rng.choice(WORDS), "number": lambda: rng.choice([1, 2, 0.5, -3])}[kind]()
    if operator.dialect == "numpy" and "axis" in arguments:
        arguments["axis"] = rng.choice([0, -1, None])
    return arguments


def is_calm(value):
    """Whether reading it runs no code of the fuzzer."""
    return all(map(is_calm, value)) if type(value) in (list, tuple) else type(value) is Plain or type(value).__module__ in CALM


def snapshot(arguments):
    arrays = {name: value for name, value in arguments.items() if type(value) in (np.ndarray, Plain) and value.dtype.kind != "O"}
    return {name: (value.copy(), value.tobytes()) for name, value in arrays.items()}


# Where Strew refuses what NumPy does: what it says, what is true of the array that is written, and where the documents state it.
DIFFERENCES = [
    ("is read-only", lambda operator, out: operator.__name__ != "put_along_axis" and not out.flags.writeable),  # docs/differences.md, "Not recorded"
    ("has non-native byte order, which Strew can only read", lambda operator, out: not out.dtype.isnative),  # docs/python.md, "Arrays"
    ("has strides that are not multiples of its item size",
     lambda operator, out: any(stride % out.itemsize for stride in out.strides)),  # docs/python.md, "Arrays"
]


def is_stated(operator, out, failure):
    """Whether the documentation states that Strew rejects this array and NumPy does not."""
    name = operator.parameters[0][0]
    return any(str(failure).startswith(f"numpy.{operator.__name__}: {name} {words}") and holds(operator, out) for words, holds in DIFFERENCES)


def is_other_order(failure, expected):
    """Whether a call that is wrong in two ways was refused for the other one: docs/differences.md, "Not recorded"."""
    return "numpy boolean subtract" in str(expected) or ("is not broadcastable" in str(failure) and "is out of bounds for axis" in str(expected))


def may_crash_numpy(a, indices, b):
    """Whether NumPy can end the process instead of refusing `b`: docs/differences.md, "Not recorded"."""
    try:
        return np.ndim(b) > np.ndim(a[indices])
    except IndexError:
        return False


def numpy_answer(operator, own):
    """Runs the call in NumPy, which writes into its first argument; None if NumPy has no such call."""
    out = own[operator.parameters[0][0]]
    if not set(own) <= {name for name, *_ in operator.parameters} or not isinstance(out, np.ndarray):
        return None
    if operator.__name__ != "put_along_axis" and may_crash_numpy(**own):
        return ValueError("b has a higher rank than a[indices]")
    try:
        with np.errstate(all="ignore"):
            if operator.__name__ == "put_along_axis":
                np.put_along_axis(own["arr"], own["indices"], own["values"], own["axis"])
            else:
                getattr(np, operator.__name__[:-3]).at(*own.values())
    except Exception as error:
        return error
    return out


def judge_by_numpy(operator, got, own, failure, counts):
    """Compares with NumPy's result for arguments that are generated identically."""
    expected = numpy_answer(operator, own)
    if expected is None:
        return
    counts["judged"] += 1
    if isinstance(expected, Exception):
        if failure is None:
            raise Found(f"is {got!r}, NumPy refuses it: {expected!r}")
        if not isinstance(failure, type(expected)) and not is_stated(operator, got, failure) and not is_other_order(failure, expected):
            raise Found(f"raised {failure!r}, NumPy {expected!r}")
    elif failure is not None:
        if not is_stated(operator, got, failure):
            raise Found(f"raised {failure!r}, NumPy says {expected!r}")
        counts["stated"] += 1
    elif not same(got, expected):
        raise Found(f"is {got!r}, NumPy says {expected!r}")


def loop_answer(operator, before):
    """The plain loop over one axis, for calls that are so simple that no framework disagrees; None for all others."""
    kinds = {kind.split()[0]: name for name, kind, *_ in operator.parameters}
    target = before.get(kinds.get("tensor", kinds.get("target")))
    indices, updates = before.get(kinds.get("indices", kinds.get("columns"))), before.get(kinds.get("updates", kinds.get("source")))
    if not all(isinstance(value, np.ndarray) and value.dtype.isnative for value in (target, indices, updates)):
        return None
    places = indices.ravel()
    if target.ndim != 1 or updates.shape != places.shape or updates.dtype != target.dtype or target.dtype.kind not in "iuf" or target.itemsize < 4:
        return None
    if any(not 0 <= place < target.size for place in places) or not places.size:
        return None
    words = [before[name] for name, kind, *_ in operator.parameters if kind.startswith("word") and name in before and name != "bad_indices_policy"]
    named = operator.__name__.strip("_").rsplit("_", 1)[-1]
    if set(before) - {*kinds.values(), "out", "threads"} or any(before.get(name, default) != default for name, default in
                                                                 (("dim", 0), ("axis", 0), ("alpha", 1), ("opset", 18), ("include_self", True))):
        return None
    if operator.__name__ == "scatter_mean":
        return None
    if operator.dialect == "paddle" and operator.__name__ not in ("scatter_nd_add", "index_add", "index_add_"):
        return None
    word = words[0] if words else named if named in STEPS else "none"
    if type(word) is not str or word not in STEPS or operator.dialect == "directml" or (operator.dialect == "pytorch" and word in ("update", "none", "assign")):
        return None
    out = target.copy()
    with np.errstate(all="ignore"):
        for place, update in zip(places, updates):
            out[place] = update if STEPS[word] is None else STEPS[word](out[place], update)
    return out


def judge_failure(error):
    if isinstance(error, (strew.Error, MemoryError)):
        text = str(error)
        if not isinstance(error, strew.Error) and text:
            raise Found(f"a MemoryError of another kind: {text[:200]}")
        if len(text.encode()) > LONGEST_MESSAGE:  # raises if it cannot be printed
            raise Found(f"a message of {len(text)} characters")
        return
    if type(error) is TypeError and "() " in str(error) and len(str(error)) < LONGEST_MESSAGE:
        return  # a wrong signature
    raise Found(f"raised {type(error).__name__}: {str(error)[:300]!r}")


def same(got, expected):
    return got.dtype == expected.dtype and got.shape == expected.shape and (
        got.tobytes() == expected.tobytes() or np.array_equal(got, expected, equal_nan=got.dtype.kind in "fc"))


def make_call(rng):
    """An operator, arguments for it, and whether some of them are odd."""
    operator = rng.choice(strew.list())
    arguments = fitting(rng, operator)
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            arguments[name] = laid_out(rng, value)
    victims, is_odd = list(arguments.values()), rng.random() < 0.6
    if is_odd:
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            arguments[rng.choice([*arguments, "threads", "out"])] = odd(rng, victims)
    if rng.random() < 0.2:
        arguments["threads"] = rng.choice([1, 2, 8, *EDGES])
    if not operator.in_place and "out" not in arguments and rng.random() < 0.2:
        first = next((value for value in arguments.values() if type(value) in (np.ndarray, Plain)), None)
        if first is not None:
            arguments["out"] = np.zeros(first.shape, first.dtype) if rng.random() < 0.7 else first
    if rng.random() < 0.03:
        arguments[rng.choice(["x", "\ud800", "y" * 5000])] = 1
    return operator, arguments, is_odd


OTHERS = ["draw", "places", "winners", "pieces", "compare", "vjp", "jvp"]


def updates_of(operator):
    return next((name for name, kind, *_ in operator.parameters if kind.split()[0] in ("updates", "source")), None)


def call_other(mode, operator, arguments, rng):
    """Passes the arguments of an operator, or those of them that it takes, to another function."""
    arrays = [value for value in arguments.values() if isinstance(value, np.ndarray)] or [np.ones(3)]
    if mode in ("draw", "winners"):
        return getattr(strew, mode)(operator, **arguments)
    if mode == "places":
        return strew.places(operator, **{name: value for name, value in arguments.items() if name not in ("out", updates_of(operator))})
    if mode == "compare":
        return str(strew.compare(*(rng.choice(list(arguments.values()) + arrays) for _ in range(3)), axis=rng.choice([None, 0, 1, -1]),
                                 reduction=rng.choice(["assign", "add", "max", "mean"]), mine=rng.choice([None, *arguments.values()])))
    if mode == "pieces":
        if not hasattr(operator, "pieces"):
            return None
        given = {name for name, *_ in operator.pieces.parameters} | {"threads"}
        pieces = operator.pieces(**{name: value for name, value in arguments.items() if name in given})
        for _ in range(rng.randint(0, 2)):
            pieces.step(**{name: value for name, value in arguments.items() if name not in given})
        return pieces.finish() if rng.random() < 0.9 else pieces.abort()
    wanted = [name for name, kind, *_ in operator.parameters if kind.split()[0] in ("tensor", "target", "updates", "source")]
    given = {name: value for name, value in arguments.items() if name != "threads"}
    beside, result = rng.choice(arrays), rng.choice([None, None, *arrays])
    if mode == "vjp":
        return strew._core.vjp(operator, beside, tuple(rng.sample(wanted, rng.randint(0, len(wanted)))), (), given, result)
    return strew._core.jvp(operator, {name: rng.choice(arrays) for name in wanted if rng.random() < 0.7}, (), given, result)


def execute(seed, number, counts):
    rng = random.Random(f"{seed} {number}")
    operator, arguments, is_odd = make_call(rng)
    before = snapshot(arguments)
    written = {next(iter(arguments))} if operator.in_place else {"out"} & set(arguments)
    shared = [value for name, value in arguments.items() if name in written and type(value) in (np.ndarray, Plain)]
    # Code of the caller's that ran may have changed any array, so only calls without it can be judged by what they wrote.
    calm = all(is_calm(value) for value in arguments.values())
    mode = rng.choice(["call"] * 6 + ["explain", "plan"] + OTHERS)
    result = failure = None
    try:
        if mode == "call":
            result = operator(**arguments)
        elif mode == "explain":
            result = strew.explain(operator, **arguments)
        elif mode in OTHERS:
            result = call_other(mode, operator, arguments, rng)
        else:
            updates = updates_of(operator)
            if updates is None:
                return
            kept = {name: value for name, value in arguments.items() if name != updates and (name != "out" or operator.in_place)}
            plan = operator.plan(**kept)
            first = next(iter(arguments.values()))
            result = plan(arguments[updates], **({"out": first} if operator.in_place else {} if operator.parameters[0][1] == "indices" else {"base": first}))
    except Exception as error:
        failure = error
    counts["failed" if failure is not None else "passed"] += 1
    if failure is not None:
        judge_failure(failure)
    for name, (_, content) in before.items() if calm else ():
        value = arguments[name]
        may_change = failure is None and mode in ("call", "plan", "pieces") and any(np.shares_memory(value, other) for other in shared)
        if mode == "plan" and operator.in_place and failure is None:
            may_change = True
        if not may_change and value.tobytes() != content:
            raise Found(f"{name} was changed")
    if mode != "call" or not calm or is_odd:  # some odd ones crash NumPy
        return
    if operator.dialect == "numpy":
        own = make_call(random.Random(f"{seed} {number}"))[1]  # the same again, with the same layout in memory
        return judge_by_numpy(operator, next(iter(arguments.values())), own, failure, counts)
    copies = {name: before[name][0] if name in before else value for name, value in arguments.items()}
    expected = loop_answer(operator, copies)
    if expected is None or failure is not None:
        return
    counts["judged"] += 1
    got = result if result is not None else next(iter(arguments.values()))
    if not same(np.asarray(got), expected):
        raise Found(f"is {got!r}, the loop says {expected!r}")


def work(options):
    """Runs until the time is over; leaves the number of the execution in a file, for whoever finds this process dead."""
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    end, number = time.monotonic() + options.seconds, options.first
    counts = dict.fromkeys(("passed", "failed", "judged", "stated"), 0)
    with open(options.state, "wb", buffering=0) as state:
        while time.monotonic() < end:
            os.pwrite(state.fileno(), b"%20d" % number, 0)
            try:
                execute(options.seed, number, counts)
            except Found as found:
                print(f"execution {number}: {str(found).encode(errors='backslashreplace').decode()}\n  --seed {options.seed} --only {number}", flush=True)
                raise SystemExit(1) from found
            if options.only is not None:
                break
            number += 1
    print(f"{number - options.first + (options.only is not None)} executions with seed {options.seed}: " +
          ", ".join(f"{count} {name}" for name, count in counts.items()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--state", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only is not None:
        options.first = options.only
    if options.state is not None:
        return work(options)
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "execution")
        child = subprocess.run([sys.executable, "-X", "faulthandler", __file__, *sys.argv[1:], "--state", state])
        if child.returncode < 0:
            with open(state, encoding="ascii") as file:
                print(f"the process ended by signal {-child.returncode}: --seed {options.seed} --only {file.read().strip()}")
    return 1 if child.returncode else 0


if __name__ == "__main__":
    sys.exit(main())

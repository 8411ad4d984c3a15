"""Random inputs for the page: mostly sound calls of every operator, some that are wrong in one way."""
import json
import random

NUMBERS = {"bool": ["true", "false"], "string": ['"a"', '"bb"', '"\\u00e4<&>"', '""']}
FLOATS = ["0", "-0.0", "1", "-1.5", "3.25", "1e10", "1e-7", "0.1", "NaN", "inf", "-inf", "65504", "123456.75"]


def element(rng, dtype):
    if dtype in NUMBERS:
        return rng.choice(NUMBERS[dtype])
    if "int" in dtype:
        bits = int("".join(c for c in dtype if c.isdigit()))
        low, high = (0, 2**bits - 1) if dtype[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return str(rng.choice([rng.randint(-9, 9) if low else rng.randint(0, 9), low, high] if rng.random() < 0.1 else [rng.randint(0, 9)]))
    if "complex" in dtype:
        return f"{rng.randint(-9, 9)}{rng.randint(0, 9):+d}j"
    return rng.choice(FLOATS) if rng.random() < 0.3 else str(rng.randint(-50, 50) / 4)


def literal(shape, draw):
    if not shape:
        return draw()
    return "[" + ", ".join(literal(shape[1:], draw) for _ in range(shape[0])) + "]"


def shape_near(rng, shape):
    """The shape, or now and then one that is wrong."""
    if rng.random() < 0.93:
        return shape
    shape = list(shape)
    if shape and rng.random() < 0.6:
        shape[rng.randrange(len(shape))] = rng.randint(0, 4)
    elif shape and rng.random() < 0.5:
        shape.pop()
    else:
        shape.append(rng.randint(0, 2))
    return shape


def request(rng, op):
    rank = rng.choice([1, 1, 2, 2, 3])
    data = [rng.randint(0 if rng.random() < 0.05 else 1, 4) for _ in range(rank)]
    axis = rng.randrange(rank)
    dtype, index_dtype = rng.choice(op["dtypes"]), rng.choice(op["index_dtypes"])
    tuples = "_nd" in op["name"]
    rows = any(word in op["name"] for word in ("index_", "scatter_a")) and not tuples and op["dialect"] in ("pytorch", "paddle", "strew")
    if tuples:
        depth = rng.randint(0, rank)
        index = [rng.randint(1, 3) for _ in range(rng.choice([1, 1, 2]))] + [depth]
        updates, extent = index[:-1] + data[depth:], min(data[:depth] or [1])
    elif op["dialect"] == "strew" or (rows and rng.random() < 0.8) or op["name"] == "scatter" and op["dialect"] == "paddle":
        axis = axis if op["dialect"] != "strew" and op["name"].startswith("index") else 0
        index = [rng.randint(1, 4)]
        updates, extent = data[:axis] + index + data[axis + 1:], data[axis]
    else:
        index = [rng.randint(min(1, size), size) for size in data]
        index[axis] = rng.randint(1, 4)
        updates, extent = index, data[axis]
    low = -1 if rng.random() < 0.1 and not index_dtype.startswith("u") else 0
    draw_index = lambda: str(rng.randint(low, max(extent - 1, 0) + (rng.random() < 0.03)))
    words = [f"{op['dialect']}.{op['name']}"]
    for parameter in op["parameters"]:
        name, kind = parameter["name"], parameter["type"]
        if kind in ("tensor", "target"):
            value = literal(shape_near(rng, data), lambda: element(rng, dtype)) + ":" + dtype
        elif kind in ("updates", "source"):
            shape = shape_near(rng, index if op["name"] == "put_along_axis" and op["dialect"] == "numpy" else updates)
            value = element(rng, dtype) if kind == "source" and rng.random() < 0.1 else literal(shape, lambda: element(rng, dtype)) + ":" + dtype
        elif kind == "indices":
            value = literal(shape_near(rng, index), draw_index) + ":" + index_dtype
        elif kind in ("index_key", "columns"):
            value = literal(index[:1], draw_index)
        elif kind == "shape":
            value = str(data)
        elif kind == "integer" and name in ("axis", "dim"):
            value = str(axis if rng.random() < 0.95 else rng.randint(-3, 3))
        elif parameter.get("words") and ("fallback" not in parameter or rng.random() < 0.5):
            value = rng.choice([word for word in parameter["words"] if word] + (["nonsense"] if rng.random() < 0.03 else []))
        elif kind == "boolean" and rng.random() < 0.3:
            value = rng.choice(["true", "false"])
        elif "fallback" in parameter and not parameter.get("must_be_said"):
            continue
        else:
            value = "0"
        words.append(f"{name}={value}")
    return "\x1f".join(words)


def requests(registry, count, seed):
    rng = random.Random(seed)
    return [request(rng, registry[i % len(registry)]) for i in range(count)]


# What people type by mistake; by the argument's name.
NONSENSE = ["", " ", "[", "]", "[[1, 2], [3]]", "[1, 2", "1, 2", "abc", "[1, two]", "[[[[[[1]]]]]]", "[99999999999999999999]", "[1e999]", "null",
            "[nan]", "'", '"', '["a"]', "[true]", "[1;2]", "\u202e", "<b>", "</script>", "&amp;", "[" * 70, "😀", "[1,,2]", "--1", "0x10", "1_000"]

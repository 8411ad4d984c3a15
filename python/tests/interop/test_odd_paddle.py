"""Tensors of Paddle that are more or less than memory with numbers."""

import subprocess
import sys

import pytest

paddle = pytest.importorskip("paddle")

import numpy as np  # noqa: E402

from interop import Interop  # noqa: E402
from odd import Odd, check, is_read_as_it_is  # noqa: E402


def plain(values):
    return paddle.to_tensor(np.array(values))


def of_floats(make):
    return lambda values: make(values) if np.asarray(values).dtype.kind == "f" else None


def trained(values):
    return paddle.to_tensor(np.array(values), stop_gradient=False)


def computed(values):
    return trained(values) * 1


def parameter(values):
    values = np.asarray(values)
    return paddle.create_parameter(list(values.shape), str(values.dtype), default_initializer=paddle.nn.initializer.Assign(values))


KINDS = [
    Odd("plain", plain, is_read=True),
    Odd("trained", of_floats(trained), is_read=None),
    Odd("computed", of_floats(computed), is_read=None),
    Odd("parameter", of_floats(parameter), is_read=None),
    Odd("sparse", of_floats(lambda values: plain(values).to_sparse_coo(np.ndim(values)) if np.ndim(values) > 0 else None)),
    Odd("float8", of_floats(lambda values: plain(values).astype("float8_e4m3fn")), is_read=None),
]


@pytest.mark.parametrize("odd", KINDS, ids=lambda odd: odd.name)
def test_odd_tensors(odd):
    check(odd)


STATIC = """
import numpy, paddle, strew
paddle.enable_static()
x = paddle.static.data("x", [3], "float32")
for call in (lambda: strew.paddle.scatter(x, numpy.array([0]), numpy.ones(1, "float32")),
             lambda: strew.numpy.add_at(numpy.zeros(3), [0], x),
             lambda: strew.pytorch.scatter_add(numpy.zeros(3), 0, x, numpy.ones(3)),
             lambda: strew.pytorch.scatter_add(numpy.zeros(3), 0, numpy.array([0]), [x])):
    try:
        call()
        print("returned")
    except strew.Error as error:
        print(type(error).__name__, len(str(error)) < 1000)
"""


def test_variables_of_a_static_graph_are_refused():
    run = subprocess.run([sys.executable, "-c", STATIC], capture_output=True, text=True, timeout=120)
    lines = run.stdout.splitlines()
    assert len(lines) == 4 and all(line.endswith("Error True") for line in lines), run.stdout + run.stderr[-2000:]


def test_no_dtype_is_read_as_another():
    wide = [*Interop.dtypes, "uint16", "uint32", "uint64"]
    # Paddle's uint16 is bfloat16.
    vectors = {name: paddle.zeros([3], "float32").astype(getattr(paddle, name)) for name in [*wide, "float8_e4m3fn", "float8_e5m2"]}
    assert [name for name, vector in vectors.items() if is_read_as_it_is(vector)] == wide

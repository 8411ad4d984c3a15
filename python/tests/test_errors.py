"""Which exception is raised, what it says, and that nothing was written."""

import numpy as np
import pytest

import strew
from strew import _core, _errors


def test_every_code_has_a_class():
    assert set(_errors.CLASSES) == {*_core.error_codes, "array"}
    for kind in _errors.CLASSES.values():
        assert issubclass(kind, strew.Error) and getattr(strew, kind.__name__) is kind


X, INDEX, SRC = np.zeros(3), np.array([0, 1]), np.ones(2)
CALLS = {
    "index": (lambda: strew.pytorch.scatter_add(X, 0, np.array([0, 7]), SRC), [IndexError]),
    "dtype": (lambda: strew.pytorch.scatter_add(X, 0, INDEX, np.ones(2, int)), [TypeError]),
    "axis": (lambda: strew.pytorch.scatter_add(X, 3, INDEX, SRC), [ValueError, IndexError]),
    "shape": (lambda: strew.pytorch.scatter_add(X, 0, INDEX, np.ones(1)), [ValueError]),
    "word": (lambda: strew.pytorch.scatter_reduce(X, 0, INDEX, SRC, "sun"), [ValueError]),
    "overlap": (lambda: strew.pytorch.scatter_add_(X, 0, INDEX, X[1:]), [ValueError]),
    "unsupported": (lambda: strew.onnx.scatter_nd(X * 1j, [[0]], np.ones(1) * 1j, reduction="max"), [ValueError]),
    "memory": (lambda: strew.tensorflow.scatter_nd([[0]], [1.0], [2**50]), [ValueError, MemoryError]),
    "array": (lambda: strew.pytorch.scatter_add_([0.0], 0, INDEX, SRC), [ValueError]),
}


@pytest.mark.parametrize("code", CALLS)
def test_classes(code):
    call, kinds = CALLS[code]
    with pytest.raises(strew.Error) as caught:
        call()
    assert caught.value.code == code
    assert all(isinstance(caught.value, kind) for kind in kinds)
    assert X.tolist() == [0, 0, 0]


def test_a_bad_index_is_data():
    x = np.zeros((2, 3))
    with pytest.raises(strew.BadIndexError) as caught:
        strew.pytorch.scatter_add_(x, 1, np.array([[0, 3], [-1, 5]]), np.ones((2, 2)))
    assert caught.value.bad_index == (3, (0, 1), 1, 3, 3)
    assert caught.value.bad_index.count == 3
    assert str(caught.value) == (
        "pytorch.scatter_add_: index 3 is out of bounds for dimension 1 with size 3 "
        "(index[0, 1] = 3 for axis 1 of size 3, valid: 0..2; 2 more)")
    assert not x.any()
    with pytest.raises(strew.ShapeError) as other:
        strew.pytorch.scatter_add(x, 0, np.zeros(2, int), np.ones(2))
    assert other.value.bad_index is None


TYPE_ERRORS = {
    "scatter_add() missing required argument: 'src'": lambda f: f(X, 0, INDEX),
    "scatter_add() takes 4 positional arguments but 5 were given": lambda f: f(X, 0, INDEX, SRC, 1),
    "scatter_add() got an unexpected keyword argument 'dims'": lambda f: f(X, dims=0, index=INDEX, src=SRC),
    "scatter_add() got an unexpected keyword argument 'value'": lambda f: f(X, 0, INDEX, value=1),
    "scatter_add() got multiple values for argument 'dim'": lambda f: f(X, 0, INDEX, SRC, dim=0),
    "pytorch.scatter_add: dim must be an integer, got float": lambda f: f(X, 0.0, INDEX, SRC),
    "pytorch.scatter_add: dim must be an integer, got bool": lambda f: f(X, True, INDEX, SRC),
    "pytorch.scatter_add: src must be an array, got NoneType": lambda f: f(X, 0, INDEX, None),
    "pytorch.scatter_add: threads must be an integer, got str": lambda f: f(X, 0, INDEX, SRC, threads="all"),
    "pytorch.scatter_add: threads must be an integer, got bool": lambda f: f(X, 0, INDEX, SRC, threads=True),
}


@pytest.mark.parametrize("text", TYPE_ERRORS)
def test_calls_that_do_not_fit(text):
    with pytest.raises(TypeError) as caught:
        TYPE_ERRORS[text](strew.pytorch.scatter_add)
    assert str(caught.value) == text


@pytest.mark.parametrize("name", ["d\ud800", "\u1e9e", "a" * 1000])
def test_keywords_of_any_text(name):
    with pytest.raises(TypeError) as caught:
        strew.pytorch.scatter_add(X, 0, INDEX, SRC, **{name: 1})
    assert str(caught.value) == f"scatter_add() got an unexpected keyword argument '{name}'"


def test_words_and_bools():
    with pytest.raises(TypeError, match="alpha must be a number, got ndarray"):
        strew.pytorch.index_add(X, 0, INDEX, SRC, alpha=np.ones(1))
    with pytest.raises(TypeError, match="reduce must be a string, got int"):
        strew.pytorch.scatter_reduce(X, 0, INDEX, SRC, 1)
    with pytest.raises(TypeError, match="include_self must be a bool, got int"):
        strew.pytorch.scatter_reduce(X, 0, INDEX, SRC, "sum", include_self=1)
    assert strew.pytorch.scatter_reduce(X, 0, INDEX, SRC, "sum", include_self=np.bool_(False)).tolist() == [1, 1, 0]
    with pytest.raises(TypeError, match="reduce must be a string, got NoneType"):
        strew.pytorch.scatter_reduce(X, 0, INDEX, SRC, None)
    assert strew.pytorch.scatter(X, 0, INDEX, SRC, reduce=None).tolist() == [1, 1, 0]
    with pytest.raises(TypeError, match="alpha must be a number"):
        strew.pytorch.index_add(X, 0, INDEX, SRC, alpha="1")


def test_a_word_that_is_no_text():
    with pytest.raises(UnicodeEncodeError):
        strew.pytorch.scatter_reduce(X, 0, INDEX, SRC, "\ud800")


def test_errors_of_the_callers_own_code_pass_through():
    class Broken:
        def __index__(self):
            raise ZeroDivisionError("boom")

    with pytest.raises(ZeroDivisionError, match="boom"):
        strew.pytorch.scatter_add(X, Broken(), INDEX, SRC)


def test_a_read_only_out_is_told_apart():
    out = np.zeros(3)
    out.flags.writeable = False
    with pytest.raises(strew.ArrayError, match="out is read-only; without out= the result is a new array"):
        strew.pytorch.scatter_add(X, 0, INDEX, SRC, out=out)


def test_tracebacks_name_the_public_class():
    assert strew.ArrayError.__module__ == "strew"


@pytest.mark.parametrize("threads, kind", [(2**70, strew.WordError), (-(2**70), strew.WordError), (1.5, strew.DtypeError)])
def test_threads_that_are_no_count(threads, kind):
    with pytest.raises(kind):
        strew.pytorch.scatter_add(X, 0, INDEX, SRC, threads=threads)

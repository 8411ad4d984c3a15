"""The class and message of each exception; nothing is written."""

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
    "argument": (lambda: strew.pytorch.scatter_reduce(X, 0, INDEX, SRC, "sun"), [ValueError]),
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
    assert str(caught.value) == f"scatter_add() got an unexpected keyword argument '{name[:200]}'"


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
    with pytest.raises(strew.ArgumentError) as caught:
        strew.pytorch.scatter_reduce(X, 0, INDEX, SRC, "\ud800")
    assert str(caught.value) == r"pytorch.scatter_reduce: reduce must be text, got a string with lone surrogates: \ud800"


def raising(name, error):
    """An object with one method, which raises."""
    def method(*_, **__):
        raise error

    return type("Broken", (), {name: method})()


def test_errors_of_the_callers_own_code_are_the_cause():
    with pytest.raises(strew.ArrayError) as caught:
        strew.pytorch.scatter_add(X, raising("__index__", ZeroDivisionError("boom")), INDEX, SRC)
    assert str(caught.value) == "pytorch.scatter_add: dim: ZeroDivisionError: boom"
    assert type(caught.value.__cause__) is ZeroDivisionError
    with pytest.raises(strew.DtypeError, match="pytorch.scatter_add: input: TypeError: no"):
        strew.pytorch.scatter_add(raising("__array__", TypeError("no")), 0, INDEX, SRC)
    with pytest.raises(strew.ArrayError, match="numpy.add_at: indices: KeyError: 3") as caught:
        strew.numpy.add_at(X, slice(raising("__index__", KeyError(3))), 1.0)
    assert type(caught.value.__cause__) is KeyError and caught.value.__cause__.__traceback__ is not None


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError])
def test_what_is_not_an_error_of_the_call_passes(kind):
    for call in (lambda x: strew.pytorch.scatter_add(x, 0, INDEX, SRC), lambda x: strew.explain(strew.pytorch.scatter_add, x, 0, INDEX, SRC),
                 lambda x: strew.pytorch.scatter_add.plan(x, 0, INDEX)):
        with pytest.raises(kind) as caught:
            call(raising("__array__", kind("now")))
        assert type(caught.value) is kind


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("has no text")


class Meta(type):
    @property
    def __name__(cls):
        raise ZeroDivisionError("has no name")


class OddInteger(int):
    def __repr__(self):
        raise ZeroDivisionError("has no digits")

    bit_length = __str__ = __repr__


HUGE = 1 << 4_000_000
HOSTILE = {
    "an integer of a million digits": HUGE,
    "one that counts as such": type("Index", (), {"__index__": lambda self: -HUGE})(),
    "an integer that does not print": OddInteger(2**70),
    "a list of them": [HUGE, OddInteger(2**70)],
    "an array of them": np.array([HUGE, 1], object),
    "a long word": "x" * 1_000_000,
    "no text": "\ud800" * 1000,
    "an array of it": np.array(["a", "\ud800"]),
    "objects of it": np.array(["a", "\ud800"], object),
    "a list of it": ["\ud800"],
    "a NumPy string of it": np.str_("\ud800"),
    "bytes that are no text": np.array([b"\xff", "a"], object),
    "a type with a long name": type("T" * 1_000_000, (), {})(),
    "a type without a name": Meta("Nameless", (), {})(),
    "an error with a long text": raising("__array__", ValueError("boom" * 1_000_000)),
    "an error without a text": raising("__array__", Unprintable()),
    "an error whose text is none": raising("__array__", ValueError("\ud800")),
    "DLPack with such an error": raising("__dlpack__", ValueError("\ud800" * 100_000)),
    "an attribute that raises": raising("__getattr__", ValueError("\ud800")),
    "a device that is a word": type("Device", (), {"__dlpack__": None, "__dlpack_device__": lambda self: "cpu"})(),
    "no device": type("Device", (), {"__dlpack__": None, "__dlpack_device__": lambda self: ()})(),
    "an array of itself": type("Self", (), {"__array__": lambda self, *_, **__: np.asarray(self)})(),
    "a rank of 64": np.lib.stride_tricks.as_strided(np.zeros(1), (2**58, *(1,) * 63), (0,) * 64),
    "sizes beyond all memory": [2**62] * 64,
    "sizes that are no numbers": [object()] * 64,
    "a slice of words": slice("a", "b"),
    "many indices": (None, *(np.zeros(1, int),) * 100),
}
OF_KIND = {"indices": INDEX, "integer": 0, "boolean": True, "word": "sum", "shape": [3], "index_key": INDEX, "columns": INDEX, "number": 1.5}


def calls_of(operator):
    """Each function that runs with the operator's arguments, and valid arguments."""
    fitting = {name: OF_KIND.get(kind.split()[0], np.ones(2)) for name, kind, _, default in operator.parameters if not default}
    names = [name for name, *_ in operator.parameters]
    yield operator, fitting, [*names, "threads", *([] if operator.in_place else ["out"])]
    yield lambda **arguments: strew.explain(operator, **arguments), fitting, names
    if hasattr(operator, "plan"):
        own = [name for name, *_ in operator.plan.parameters]
        yield operator.plan, {name: value for name, value in fitting.items() if name in own}, [*own, "dtype"]


@pytest.mark.parametrize("what", HOSTILE)
def test_every_failure_is_an_error_of_bounded_length(what):
    for operator in strew.list():
        for call, fitting, names in calls_of(operator):
            for name in names:
                try:
                    call(**{**fitting, name: HOSTILE[what]})
                except strew.Error as error:
                    assert 0 < len(str(error).encode()) < 4096, (operator, name)
                    assert str(error).startswith(f"{operator.dialect}."), (operator, name)
                except MemoryError:
                    pass


def test_long_messages_keep_both_ends():
    with pytest.raises(strew.Error) as caught:
        strew.tensorflow.scatter_nd(np.zeros([1] * 64, np.int32), np.zeros([1] * 63), [10**17 + 1] * 64)
    text = str(caught.value)
    assert len(text) < 1000 and text.startswith("tensorflow.scatter_nd: ")
    error = strew.ArgumentError("a" * 600 + "b" * 10_000 + "c" * 200)
    assert str(error).startswith("a" * 600 + "b") and str(error).endswith("b" + "c" * 200) and len(str(error)) < 1000
    assert str(strew.ArgumentError(str(error))) == str(error)


def test_compare_and_list_name_words_of_any_length():
    for call in (lambda word: strew.list(word), lambda word: strew.compare([1.0], [0], [1.0], axis=0, reduction=word)):
        for word in ("x" * 1_000_000, "\ud800"):
            with pytest.raises(strew.Error) as caught:
                call(word)
            assert len(str(caught.value).encode()) < 4096


class Wordlike(str):
    def __eq__(self, other):
        raise ZeroDivisionError("does not compare")

    __hash__ = __str__ = __repr__ = __format__ = __eq__


BESIDE = {
    **HOSTILE,
    "nothing to print": Unprintable(),
    "an object without a text": type("Textless", (), {"__repr__": Unprintable.__str__})(),
    "one that is no class's": type("Classless", (), {"__class__": property(Unprintable.__str__)})(),
    "a list of what raises": [raising("__array__", ZeroDivisionError("boom"))],
    "a word by another class": Wordlike("addition"),
    "a dtype that raises": type("Typeless", (), {"dtype": property(Unprintable.__str__)})(),
    "an array that is none": type("Arrayless", (), {"dtype": np.dtype(float), "__array__": Unprintable.__str__})(),
}


@pytest.mark.parametrize("what", BESIDE)
def test_compare_and_list_fail_as_the_operators_do(what):
    good = {"data": [1.0, 2.0], "indices": [0], "updates": [1.0], "axis": 0, "reduction": "add"}
    for call in (strew.list, *(lambda given, name=name: str(strew.compare(**{**good, name: given})) for name in good)):
        try:
            call(BESIDE[what])
        except strew.Error as error:
            assert 0 < len(str(error).encode()) < 4096
        except MemoryError:
            pass


def test_words_of_another_class_are_words():
    assert strew.list(Wordlike("onnx")) == strew.list("onnx")
    assert strew.compare([1.0], [0], [2.0], axis=0, reduction=Wordlike("add"))["onnx"].result.tolist() == [3]


def test_a_read_only_out_is_told_apart():
    out = np.zeros(3)
    out.flags.writeable = False
    with pytest.raises(strew.ArrayError, match="out is read-only; without out= the result is a new array"):
        strew.pytorch.scatter_add(X, 0, INDEX, SRC, out=out)


def test_tracebacks_name_the_public_class():
    assert strew.ArrayError.__module__ == "strew"


@pytest.mark.parametrize("threads, kind", [(2**70, strew.ArgumentError), (-(2**70), strew.ArgumentError), (1.5, strew.DtypeError)])
def test_threads_that_are_no_count(threads, kind):
    with pytest.raises(kind):
        strew.pytorch.scatter_add(X, 0, INDEX, SRC, threads=threads)


class Raising:
    def __index__(self):
        raise ValueError("\udcff" * 1_000_000)


class Comparing(str):
    def __eq__(self, other):
        raise ValueError

    __hash__ = str.__hash__


@pytest.mark.parametrize("call", [
    lambda: strew.compare([1.0], [0], [1.0], axis=10**10000),
    lambda: strew.compare([1.0], [0], [1.0], axis="a"),
    lambda: strew.compare([1.0], [0], [1.0], axis=Raising()),
    lambda: strew.compare([1.0], [0], [1.0], axis=0, reduction=Comparing("addition")),
    lambda: strew.compare([1.0], [0], [1.0], axis=0, reduction=["add"]),
    lambda: strew.compare(np.ma.array([1.0, 2.0], mask=[1, 0]), [0], [1.0], axis=0),
    lambda: strew.list([]),
    lambda: strew.set_threads(Raising()),
    lambda: strew.set_threads(10**10000),
    lambda: strew.set_scratch_limit(Raising()),
    lambda: strew.set_scratch_limit(10**10000),
    lambda: strew.set_scratch_limit(-1),
])
def test_functions_beside_the_operators_fail_as_they_do(call):
    with pytest.raises(strew.Error) as caught:
        call()
    assert 20 < len(str(caught.value)) < 1000


def test_an_error_takes_any_message():
    assert [str(strew.Error(message)) for message in (5, None, "five")] == ["5", "None", "five"]

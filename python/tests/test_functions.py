"""The functions as objects: signatures, help, examples, and the other names of the package."""

import doctest
import gc
import importlib
import inspect
import pickle
import pydoc
import re
import weakref

import numpy as np
import pytest

import strew
from support import ROOT

SIGNATURES = """
tensorflow.tensor_scatter_nd_update(tensor, indices, updates, *, bad_indices_policy='DEFAULT', out=None, threads=None)
tensorflow.tensor_scatter_nd_add(tensor, indices, updates, *, bad_indices_policy='DEFAULT', out=None, threads=None)
tensorflow.tensor_scatter_nd_sub(tensor, indices, updates, *, bad_indices_policy='DEFAULT', out=None, threads=None)
tensorflow.tensor_scatter_nd_min(tensor, indices, updates, *, bad_indices_policy='DEFAULT', out=None, threads=None)
tensorflow.tensor_scatter_nd_max(tensor, indices, updates, *, bad_indices_policy='DEFAULT', out=None, threads=None)
tensorflow.scatter_nd(indices, updates, shape, *, bad_indices_policy='DEFAULT', out=None, threads=None)
tensorflow.gather_nd(params, indices, *, bad_indices_policy='DEFAULT', out=None, threads=None)
pytorch.scatter(input, dim, index, src, *, reduce=None, out=None, threads=None)
pytorch.scatter_(input, dim, index, src, *, reduce=None, threads=None)
pytorch.scatter_add(input, dim, index, src, *, out=None, threads=None)
pytorch.scatter_add_(input, dim, index, src, *, threads=None)
pytorch.scatter_reduce(input, dim, index, src, reduce, *, include_self=True, out=None, threads=None)
pytorch.scatter_reduce_(input, dim, index, src, reduce, *, include_self=True, threads=None)
pytorch.index_add(input, dim, index, source, *, alpha=1, out=None, threads=None)
pytorch.index_add_(input, dim, index, source, *, alpha=1, threads=None)
pytorch.index_copy(input, dim, index, source, *, out=None, threads=None)
pytorch.index_copy_(input, dim, index, source, *, threads=None)
pytorch.gather(input, dim, index, *, out=None, threads=None)
paddle.scatter_nd_add(x, index, updates, *, out=None, threads=None)
paddle.scatter(x, index, updates, overwrite=True, *, out=None, threads=None)
paddle.scatter_(x, index, updates, overwrite=True, *, threads=None)
paddle.scatter_nd(index, updates, shape, *, out=None, threads=None)
paddle.put_along_axis(arr, indices, values, axis, reduce='assign', include_self=True, broadcast=True, *, out=None, threads=None)
paddle.put_along_axis_(arr, indices, values, axis, reduce='assign', include_self=True, broadcast=True, *, threads=None)
paddle.index_add(x, index, axis, value, *, out=None, threads=None)
paddle.index_add_(x, index, axis, value, *, threads=None)
paddle.gather_nd(x, index, *, out=None, threads=None)
onnx.scatter_elements(data, indices, updates, *, axis=0, reduction='none', opset=18, out=None, threads=None)
onnx.scatter_nd(data, indices, updates, *, reduction='none', opset=18, out=None, threads=None)
onnx.scatter(data, indices, updates, *, axis=0, out=None, threads=None)
onnx.gather_elements(data, indices, *, axis=0, out=None, threads=None)
onnx.gather_nd(data, indices, *, batch_dims=0, out=None, threads=None)
directml.scatter_nd(input, indices, updates, *, input_dimension_count=None, indices_dimension_count=None, \
feature_level='3_0', out_of_range='error', out=None, threads=None)
directml.scatter(input, indices, updates, *, axis, feature_level='3_0', out_of_range='error', out=None, threads=None)
directml.gather_elements(input, indices, *, axis, feature_level='3_0', out_of_range='error', out=None, threads=None)
directml.gather_nd(input, indices, *, input_dimension_count=None, indices_dimension_count=None, batch_dimension_count=0, \
feature_level='3_0', out_of_range='error', out=None, threads=None)
numpy.add_at(a, indices, b, *, threads=None)
numpy.subtract_at(a, indices, b, *, threads=None)
numpy.multiply_at(a, indices, b, *, threads=None)
numpy.minimum_at(a, indices, b, *, threads=None)
numpy.maximum_at(a, indices, b, *, threads=None)
numpy.put_along_axis(arr, indices, values, axis, *, threads=None)
strew.scatter(out, index, values, *, threads=None)
strew.scatter_add(out, index, values, *, threads=None)
strew.scatter_sub(out, index, values, *, threads=None)
strew.scatter_mul(out, index, values, *, threads=None)
strew.scatter_min(out, index, values, *, threads=None)
strew.scatter_max(out, index, values, *, threads=None)
strew.scatter_mean(out, index, values, *, threads=None)
strew.gather(source, index, *, out=None, threads=None)
"""


def test_signatures():
    found = [f"{op.dialect}.{op.__name__}{inspect.signature(op)}" for op in strew.list()]
    assert found == SIGNATURES.strip().splitlines()


@pytest.mark.parametrize("op", strew.list(), ids=lambda op: f"{op.dialect}.{op.__name__}")
def test_docstrings(op):
    assert op.summary and op.summary.endswith(".") and op.__doc__.startswith(op.summary)
    examples = doctest.DocTestParser().get_doctest(op.__doc__, {}, op.__name__, None, 0)
    assert len(examples.examples) >= 2
    assert doctest.DocTestRunner().run(examples).failed == 0


@pytest.mark.parametrize("name", ["strew", "strew._compare"])
def test_doctests_of_modules(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0 and result.failed == 0


DOCUMENTS = [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in ("python", "plans", "pieces", "gradients", "scaling")), *(ROOT / "docs" / "dialects").glob("*.md")]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.stem)
def test_doctests_of_documents(document):
    if document.stem in ("README", "scaling"):
        pytest.importorskip("dask.array", reason="Dask is not installed")
    result = doctest.testfile(str(document), module_relative=False)
    assert result.attempted > 0 and result.failed == 0
    assert len(DOCUMENTS) > 10


def test_help_reads_well():
    text = pydoc.plain(pydoc.render_doc(strew.pytorch.scatter_add_))
    assert "scatter_add_(input, dim, index, src, *, threads=None)" in text
    assert "Adds src to input where index points along dim." in text
    assert "In place: writes into input, and returns it." in text
    # Newer versions of Python break long signatures into lines.
    assert re.search(r"scatter_nd\(\s*indices,\s*updates,\s*shape,", pydoc.plain(pydoc.render_doc(strew.tensorflow)))


def test_dialects_are_modules():
    from strew.pytorch import scatter_add

    import strew.onnx as onnx

    assert scatter_add is strew.pytorch.scatter_add and onnx is strew.onnx
    assert inspect.ismodule(strew.pytorch) and strew.pytorch.__all__[0] == "scatter"
    assert not hasattr(strew, "strew") and [getattr(strew, op.__name__) for op in strew.list("strew")] == strew.list("strew")


def test_functions_are_plain_objects():
    f = strew.pytorch.scatter_add

    class Holder:
        method = f

    assert Holder().method is f and pickle.loads(pickle.dumps(f)) is f
    assert repr(f) == "<strew.pytorch.scatter_add(input, dim, index, src, *, out=None, threads=None)>"
    assert (f.dialect, f.in_place, f.index_dtypes) == ("pytorch", False, ("int32", "int64"))
    with pytest.raises(AttributeError):
        f.dialect = "other"
    with pytest.raises(TypeError):
        type(f)()


def test_keywords_that_are_not_interned():
    name = "".join(["s", "r", "c"])
    assert strew.pytorch.scatter_add(np.zeros(1), 0, np.array([0]), **{name: np.ones(1)}).tolist() == [1]


def test_list():
    assert len(strew.list()) == len(SIGNATURES.strip().splitlines())
    assert {op.dialect for op in strew.list("onnx")} == {"onnx"}
    with pytest.raises(ValueError, match="there is no dialect 'tf'; there are tensorflow, pytorch"):
        strew.list("tf")


def test_version_is_that_of_the_library():
    header = (ROOT / "include" / "strew" / "version.h").read_text()
    assert re.findall(r"#define STREW_VERSION_(\w+) (\d+)", header) == list(zip(("MAJOR", "MINOR", "PATCH"), strew.__version__.split(".")))
    assert re.fullmatch(r"\d+\.\d+\.\d+", strew.__version__)


def test_show_config(capsys):
    strew.show_config()
    text = capsys.readouterr().out
    assert strew.__version__ in text and "numpy" in text
    assert re.search(rf"^threads: +({strew.get_threads()} \(oneTBB [\d.]+\)|1 \(built without oneTBB\))$", text, re.MULTILINE)


def test_explain():
    x, index, src = np.zeros(2), np.array([0]), np.ones(1)
    text = strew.explain(strew.pytorch.scatter_add, x, 0, index, src=src)
    assert text.startswith("pytorch.scatter_add on float64 [2]\n") and "strategy: " in text
    assert "before the first write" in strew.explain(strew.pytorch.scatter_add_, x, 0, index, src)
    assert "before the first write" in strew.explain(strew.pytorch.scatter_add, x, 0, index, src, out=np.zeros(2))
    assert x.tolist() == [0, 0]
    with pytest.raises(TypeError, match="takes an operator of Strew first"):
        strew.explain(print, x)
    with pytest.raises(strew.ShapeError):
        strew.explain(strew.pytorch.scatter_add, x, 0, index, np.ones(0))


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("change", [
    {"index": np.array([2])},  # a bad index
    {"src": "input"},  # shared memory
    {"input": read_only(np.zeros(2))},
    {"out": np.zeros(3)}, {"out": np.zeros(2, np.float32)}, {"out": read_only(np.zeros(2))}, {"out": [0.0, 0.0]}, {"out": 7},
])
def test_explain_raises_what_the_call_raises(change):
    operator = strew.pytorch.scatter_add if "out" in change else strew.pytorch.scatter_add_
    arguments = {"input": np.zeros(2), "dim": 0, "index": np.array([1]), "src": np.ones(1)} | change
    if isinstance(arguments["src"], str):
        arguments["src"] = arguments["input"][:1]
    with pytest.raises(strew.Error) as expected:
        operator(**arguments)
    with pytest.raises(type(expected.value)) as error:
        strew.explain(operator, **arguments)
    assert str(error.value) == str(expected.value)


def test_help_of_the_package_and_of_the_class():
    assert "scatter_add" in pydoc.plain(pydoc.render_doc(strew))
    assert "index_dtypes" in pydoc.plain(pydoc.render_doc(strew.Operator))
    assert str(inspect.signature(strew.explain)) == "(operator, /, *arguments, **keywords)"


def test_star_import_hides_nothing_of_pythons():
    names = {}
    exec("from strew import *", names)
    assert {"pytorch", "compare", "scatter_add"} < names.keys() and not {"list", "numpy", "annotations"} & names.keys()


def test_a_number_to_scatter_has_pytorchs_other_name():
    x = np.zeros(4)
    assert strew.pytorch.scatter_(x, 0, [1, 3], value=5) is x
    assert x.tolist() == [0, 5, 0, 5]
    assert strew.pytorch.scatter([1.0, 1.0], 0, [1], value=2, reduce="multiply").tolist() == [1, 2]
    assert strew.pytorch.scatter.also_named == {"src": "value"} and "value: another name of src" in strew.pytorch.scatter.__doc__
    with pytest.raises(TypeError, match="multiple values for argument 'value'"):
        strew.pytorch.scatter(x, 0, [1], 5, value=5)
    with pytest.raises(TypeError, match="missing required argument: 'src'"):
        strew.pytorch.scatter(x, 0, [1])
    with pytest.raises(TypeError, match="unexpected keyword argument 'value'"):
        strew.pytorch.scatter.plan(x, 0, [1], value=5)


def test_weak_references():
    operator = strew.pytorch.scatter_add_
    assert weakref.ref(operator)() is operator and weakref.ref(operator.plan)() is operator.plan
    gone = []
    plan = operator.plan(np.zeros(3), 0, np.array([1]))
    reference = weakref.ref(plan, gone.append)
    assert reference() is plan and weakref.WeakValueDictionary({1: plan})[1] is plan
    del plan
    gc.collect()
    assert reference() is None and gone == [reference]

"""strew.draw: pictures of calls."""

import doctest
import weakref
import xml.etree.ElementTree as xml

import numpy as np
import pytest

import strew

SVG = "{http://www.w3.org/2000/svg}"


def texts(picture):
    return [element.text for element in xml.fromstring(str(picture)).iter(SVG + "text")]


def test_shows_values_and_formulas():
    x, index, src = np.array([10.0, 20, 30]), np.array([1, 1]), np.array([5.0, np.nan])
    picture = strew.draw(strew.pytorch.scatter_reduce, x, 0, index, src, "amax")
    assert "max(20, 5, NaN) = NaN" in texts(picture) and {"10", "20", "30", "5"} <= set(texts(picture))
    assert x.tolist() == [10, 20, 30]


def test_is_a_document():
    picture = strew.draw(strew.scatter_add, np.zeros(2), [0], [1.0])
    root = xml.fromstring(picture._repr_svg_())
    assert root.tag == SVG + "svg" and str(picture) == picture._repr_svg_()
    assert root.find(SVG + "title").text == "strew.scatter_add: writes into out, float64 [2]"
    assert "0 + 1 = 1" in root.find(SVG + "desc").text
    assert 20 < len(repr(picture)) < 100 and "strew.scatter_add" in repr(picture)


def test_save(tmp_path):
    picture = strew.draw(strew.scatter_add, np.zeros(2), [0], [1.0])
    picture.save(tmp_path / "x.svg")
    picture.save(str(tmp_path / "y.svg"))
    assert (tmp_path / "x.svg").read_text(encoding="utf-8") == (tmp_path / "y.svg").read_text(encoding="utf-8") == str(picture)


def test_in_place_operators_write_nothing():
    x = np.zeros(3)
    assert "0 + 2 = 2" in texts(strew.draw(strew.pytorch.scatter_add_, x, 0, np.array([1]), np.array([2.0]))) and not x.any()


def test_bad_indices_are_drawn():
    x = np.zeros(3)
    picture = strew.draw(strew.pytorch.scatter_add, x, 0, np.array([7]), np.array([2.0]))
    with pytest.raises(IndexError) as raised:
        strew.pytorch.scatter_add(x, 0, np.array([7]), np.array([2.0]))
    assert str(raised.value) in xml.fromstring(str(picture)).find(SVG + "desc").text


def test_other_errors_are_raised():
    with pytest.raises(strew.ShapeError):
        strew.draw(strew.pytorch.scatter_add, np.zeros((2, 2)), 0, np.array([0]), np.ones(1))
    with pytest.raises(TypeError, match="draw\\(\\) takes an operator of Strew first"):
        strew.draw(print, 1)
    with pytest.raises(TypeError):
        strew.draw()


@pytest.mark.parametrize("size", [10**6])
def test_large_arrays_are_cut(size):
    picture = strew.draw(strew.scatter_add, np.zeros(size), np.arange(size), np.ones(size))
    assert len(str(picture)) < 50_000 and "of 1,000,000 elements are drawn" in str(picture)


@pytest.mark.parametrize("text", ["<&>\"']]>", "\x00\x01\x1f\x7f", "\u202e\ufffe", "\U0001f600" * 100, "a\nb"])
def test_strings(text):
    picture = strew.draw(strew.scatter, np.array([text, "b"], object), [0, 1], np.array(["c", text], object))
    assert xml.fromstring(str(picture)) is not None


def test_gathers():
    assert {"30", "10"} <= set(texts(strew.draw(strew.gather, np.array([10, 20, 30]), [2, 0])))


def test_every_operator_can_be_drawn():
    """With arguments that suit most: who refuses them raises an Error."""
    x, i, u = np.zeros((3, 3), np.float32), np.zeros((1, 1), np.int64), np.ones((1, 1), np.float32)
    drawn = 0
    for operator in strew.list():
        arguments = {}
        for name, kind, _, default in operator.parameters:
            kinds = {"tensor": x, "target": x, "indices": i, "updates": u, "source": u, "shape": (3, 3), "index_key": ([0], [0]), "columns": ([0], [0])}
            if kind.split()[0] in kinds:
                arguments[name] = kinds[kind.split()[0]]
            elif not default:
                arguments[name] = 0 if kind.split()[0] == "integer" else "sum"
        try:
            drawn += str(strew.draw(operator, **arguments)).startswith("<svg")
        except strew.Error:
            pass
    assert drawn > 15


def test_weak_references():
    picture = strew.draw(strew.pytorch.scatter_add, np.zeros(2), 0, np.array([1]), np.ones(1))
    assert weakref.ref(picture)() is picture


def test_doctest():
    examples = doctest.DocTestParser().get_doctest(strew.draw.__doc__, {}, "draw", None, 0)
    assert examples.examples and doctest.DocTestRunner().run(examples).failed == 0

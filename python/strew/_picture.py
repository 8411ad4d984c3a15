"""strew.draw: a picture of one call."""

from __future__ import annotations

from os import PathLike
from typing import Any, Union

from . import _core


class Picture:
    """A picture as SVG: shown by notebooks, `str()` is its text, `save()` writes a file."""

    __slots__ = ("_svg", "_call", "__weakref__")

    def __init__(self, svg: str, call: str) -> None:
        self._svg, self._call = svg, call

    def _repr_svg_(self) -> str:
        return self._svg

    def __str__(self) -> str:
        return self._svg

    def __repr__(self) -> str:
        return f"<strew picture of {self._call}, {len(self._svg)} characters of SVG>"

    def save(self, path: Union[str, PathLike[str]]) -> None:
        """Writes the picture to a file, as SVG."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self._svg)


def draw(operator: Any, /, *arguments: Any, **keywords: Any) -> Picture:
    """Draws what a call of an operator with these arguments does; nothing is written.

    The picture shows the updates with their indices, an arrow from each to its place, the values before and after, and the formula of
    each place. Of large arrays only a part is drawn. An index out of range is drawn where it points, with the sentence of its error; every
    other error is raised as by the call.

    >>> import numpy, strew
    >>> picture = strew.draw(strew.pytorch.scatter_add, numpy.zeros(4), 0, numpy.array([2, 0, 2]), numpy.array([1.0, 2.0, 3.0]))
    >>> "0 + 1 + 3 = 4" in str(picture)
    True
    """
    svg = _core.draw(operator, *arguments, **keywords)
    return Picture(svg, f"{operator.dialect}.{operator.__name__}")

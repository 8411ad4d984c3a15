"""Strew's operators as operators of torch: `import strew.torch` registers torch.ops.strew.*, for torch.compile and torch.export.

Each has the name of its dialect and its own, as in torch.ops.strew.pytorch_scatter_add; those of Strew's own functions have no prefix. As
in torch, a name that ends in _ writes into its first argument, and the others return a new tensor. Parameters and defaults are those in
Python, with these types: an array is a Tensor, index arrays for several axes are a list of tensors, and a key of NumPy's is a list of its
tensors and a text that says where in the key they are (`key_of`). Where a number may take the place of an array, another operator takes it:
torch.ops.strew.pytorch_scatter_number.

After the import, strew.pytorch.scatter_add(...) itself can be compiled and exported.
"""

from __future__ import annotations

from typing import Any

import torch as _torch

from . import list as _list
from ._torch_keys import key_of as key_of
from ._torch_operators import call as call, register as _register

for _operator in _list():
    _register(_operator)
    _torch.compiler.allow_in_graph(_operator)

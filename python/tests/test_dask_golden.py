"""Every recorded case of an operator that returns an array, strings aside, through strew.dask with random chunks."""

import os

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="Dask is not installed")

from dask_cases import agree, cut, functional, in_memory, is_scattered, on_dask  # noqa: E402
from support import arguments_of, operator_of, recorded  # noqa: E402

SYSTEMS = ("tensorflow", "pytorch", "paddle", "onnxruntime", "onnx_reference", "numpy")
EVERY = 1 if os.environ.get("STREW_TEST_DASK_ALL") else 8  # the default run takes one case of eight


def tensors_in(arguments):
    return [value for value in arguments.values() if isinstance(value, np.ndarray)]


@pytest.mark.parametrize("system", SYSTEMS)
def test_recorded_cases(system):
    random = np.random.default_rng(len(system))
    wrong, seen = [], 0
    for case in recorded(system)[::EVERY]:
        operator, arguments = operator_of(case), arguments_of(case)
        if functional(operator) is None or not all(map(is_scattered, tensors_in(arguments))):
            continue
        for name, kind, _, _ in operator.parameters:
            if kind.endswith(" or None"):
                arguments.setdefault(name, None)
        seen += 1
        expected, got = in_memory(operator, arguments), on_dask(operator, cut(random, operator, arguments), scheduler="sync")
        if not agree(expected, got):
            wrong.append(f"{case['id']}: {expected!r} | {got!r}")
    assert not wrong, f"{len(wrong)} of {seen}\n" + "\n".join(wrong[:20])
    assert seen * EVERY > 90

import numpy as np
import pytest

paddle = pytest.importorskip("paddle")

import strew  # noqa: E402
from interop import Interop, watch_maker  # noqa: E402

watch_maker(paddle)


class TestPaddle(Interop):
    def make(self, values, dtype="float32"):
        return paddle.to_tensor(values, dtype="float32").astype(dtype)

    def to_numpy(self, array):
        return array.astype("float32").numpy() if array.dtype == paddle.bfloat16 else array.numpy()

    def pointer(self, array):
        return array.data_ptr()

    def is_mine(self, array):
        return isinstance(array, paddle.Tensor)


def test_versions():
    x = paddle.zeros([3])
    before = x.inplace_version
    strew.paddle.scatter_(x, paddle.to_tensor([0, 0]), paddle.ones([2]))
    assert x.inplace_version == before + 1


def test_agrees_with_paddle():
    rng = np.random.default_rng(1)
    x, updates = paddle.to_tensor(rng.standard_normal(50)), paddle.to_tensor(rng.standard_normal(1000))
    index = paddle.to_tensor(rng.integers(0, 50, (1000, 1)))
    assert np.array_equal(strew.paddle.scatter_nd_add(x, index, updates).numpy(), paddle.scatter_nd_add(x, index, updates).numpy())

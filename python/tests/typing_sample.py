"""Calls as people write them, for mypy."""

import strew
import strew.onnx
from strew.pytorch import scatter_add_


class Tensor:
    """Stands for the array type of some library."""


def sample(x: Tensor, index: Tensor, src: Tensor) -> Tensor:
    y: Tensor = scatter_add_(x, 0, index, src)
    strew.pytorch.scatter(x, 1, index, 1.5, reduce="add", threads=2)
    y = strew.pytorch.scatter_(x, 1, index, value=1.5)
    strew.tensorflow.scatter_nd(index, src, (3, 4), bad_indices_policy="IGNORE")
    strew.onnx.scatter_elements(x, index, src, axis=-1, out=y)
    strew.numpy.add_at(x, (slice(None), [0, 1], ...), 1)
    y = strew.scatter_add(x, (index, index), 1.5, threads=2)
    strew.gather(x, [0, 1], out=y)
    plan: strew.Plan = strew.pytorch.index_add_.plan(x, 0, index, alpha=2, threads=2)
    y = plan(src, out=x)
    strew.tensorflow.scatter_nd.plan(index, (3, 4), dtype="float64")(src, threads=1)
    size: int = plan.nbytes + len(plan.updates_shape)
    text: str = strew.explain(strew.pytorch.scatter_add_, x, 0, index, src)
    names: list[str] = [operator.dialect for operator in strew.list()]
    try:
        strew.set_threads(strew.get_threads())
        strew.set_scratch_limit(strew.get_scratch_limit())
        strew.release_scratch()
    except strew.BadIndexError as error:
        assert error.bad_index is not None and error.bad_index.count > 0
    print(strew.compare([1], [0], [2], axis=0)["numpy"].result, strew.__version__, text, names, size)
    return y

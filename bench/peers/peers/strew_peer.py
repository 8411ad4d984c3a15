"""Strew, on NumPy arrays, in place."""
import strew
from strew import pytorch, tensorflow


def tuples_add(p):
    index = p.column()
    return {"tensor_scatter_nd_add": lambda: tensorflow.tensor_scatter_nd_add(p.out, index, p.updates, out=p.out)}


class Strew:
    name, threads, version = "strew", (1, 2), strew.__version__
    races = ()

    def set_threads(self, count):
        strew.set_threads(count)

    def flat_add(self, p):
        return {"scatter_add_": lambda: pytorch.scatter_add_(p.out, p.axis, p.index, p.updates)}

    def flat_assign(self, p):
        return {"scatter_": lambda: pytorch.scatter_(p.out, p.axis, p.index, p.updates)}

    def reduce(self, p):
        word = {"amax": "amax", "mul": "prod", "mean": "mean"}[p.op]
        return {"scatter_reduce_": lambda: pytorch.scatter_reduce_(p.out, p.axis, p.index, p.updates, word)}

    def flat_gather(self, p):
        return {"gather": lambda: pytorch.gather(p.source, p.axis, p.index, out=p.out)}

    def rows_add(self, p):
        if p.rounding == "every" and p.dtype.itemsize == 2:
            return tuples_add(p)
        return {"index_add_": lambda: pytorch.index_add_(p.out, 0, p.index, p.updates)}

    def rows_assign(self, p):
        return {"index_copy_": lambda: pytorch.index_copy_(p.out, 0, p.index, p.updates)}

    def rows_gather(self, p):
        index = p.column()
        return {"gather_nd": lambda: tensorflow.gather_nd(p.source, index, out=p.out)}

    def nd_add(self, p):
        return tuples_add(p)

    def nd_assign(self, p):
        return {"tensor_scatter_nd_update": lambda: tensorflow.tensor_scatter_nd_update(p.out, p.index, p.updates, out=p.out)}

    flat_amax = flat_mul = flat_mean = reduce
    elements_add, elements_assign = flat_add, flat_assign
    elements_amax = elements_mean = reduce

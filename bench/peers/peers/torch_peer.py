"""PyTorch, on the same memory, in place."""
import numpy as np
import torch


def tensor(array):
    """torch does not know NumPy's bfloat16, but the bits are the same."""
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def tensors(p):
    return tensor(p.out), tensor(p.index), tensor(p.updates)


class Torch:
    name, threads, version = "torch", (1, 2), torch.__version__
    races = ("index_copy_", "index_put_")

    def set_threads(self, count):
        torch.set_num_threads(count)

    def flat_add(self, p):
        out, index, updates = tensors(p)
        return {
            "scatter_add_": lambda: out.scatter_add_(0, index, updates),
            "index_add_": lambda: out.index_add_(0, index, updates),
            "index_put_, accumulate": lambda: out.index_put_((index,), updates, accumulate=True),
        }

    def flat_assign(self, p):
        out, index, updates = tensors(p)
        return {
            "scatter_": lambda: out.scatter_(0, index, updates),
            "index_copy_": lambda: out.index_copy_(0, index, updates),
            "index_put_": lambda: out.index_put_((index,), updates),
        }

    def flat_reduce(self, p):
        out, index, updates = tensors(p)
        word = {"amax": "amax", "mul": "prod", "mean": "mean"}[p.op]
        return {
            "scatter_reduce_": lambda: out.scatter_reduce_(0, index, updates, word),
            "index_reduce_": lambda: out.index_reduce_(0, index, updates, word),
        }

    def flat_gather(self, p):
        source, index, out = tensor(p.source), tensor(p.index), tensor(p.out)
        return {
            "gather": lambda: torch.gather(source, 0, index, out=out),
            "index_select": lambda: torch.index_select(source, 0, index, out=out),
            "take": lambda: torch.take(source, index, out=out),
        }

    def rows_add(self, p):
        out, index, updates = tensors(p)
        expanded = index[:, None].expand_as(updates)
        return {
            "index_add_": lambda: out.index_add_(0, index, updates),
            "scatter_add_, expanded": lambda: out.scatter_add_(0, expanded, updates),
            "index_put_, accumulate": lambda: out.index_put_((index,), updates, accumulate=True),
        }

    def rows_assign(self, p):
        out, index, updates = tensors(p)
        expanded = index[:, None].expand_as(updates)
        return {
            "index_copy_": lambda: out.index_copy_(0, index, updates),
            "scatter_, expanded": lambda: out.scatter_(0, expanded, updates),
            "index_put_": lambda: out.index_put_((index,), updates),
        }

    def rows_gather(self, p):
        source, index, out = tensor(p.source), tensor(p.index), tensor(p.out)
        return {"index_select": lambda: torch.index_select(source, 0, index, out=out)}

    def elements_add(self, p):
        out, index, updates = tensors(p)
        return {"scatter_add_": lambda: out.scatter_add_(p.axis, index, updates)}

    def elements_assign(self, p):
        out, index, updates = tensors(p)
        return {"scatter_": lambda: out.scatter_(p.axis, index, updates)}

    def elements_reduce(self, p):
        out, index, updates = tensors(p)
        return {"scatter_reduce_": lambda: out.scatter_reduce_(p.axis, index, updates, p.op)}

    def nd_add(self, p):
        out, index, updates = tensors(p)
        columns = tuple(column.contiguous() for column in index.T)
        return {"index_put_, accumulate": lambda: out.index_put_(columns, updates, accumulate=True)}

    def nd_assign(self, p):
        out, index, updates = tensors(p)
        columns = tuple(column.contiguous() for column in index.T)
        return {"index_put_": lambda: out.index_put_(columns, updates)}

    flat_amax = flat_mul = flat_mean = flat_reduce
    elements_amax = elements_mean = elements_reduce

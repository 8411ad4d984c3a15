"""Paddle, on the same memory, in place where it can."""
import paddle

from peers import Call, torch_peer


def tensor(array):
    return paddle.from_dlpack(torch_peer.tensor(array))


def tensors(p):
    return tensor(p.out), tensor(p.index), tensor(p.updates)


class Paddle:
    name, threads, version = "paddle", (1, 2), paddle.__version__
    races = ("index_put_",)

    def set_threads(self, count):
        paddle.base.core.set_num_threads(count)

    def along_axis(self, p):
        out, index, updates = tensors(p)
        return {"put_along_axis_": lambda: out.put_along_axis_(index, updates, p.axis, p.op)}

    def nd(self, p):
        """Not in place: scatter_ without overwrite means something else, it clears the targets first."""
        initial, index, updates, kept = tensor(p.initial), tensor(p.column()), tensor(p.updates), []

        def run():
            kept[:] = [paddle.scatter_nd_add(initial, index, updates)]

        return {"scatter_nd_add": Call(run, kept.clear, lambda: kept[0].numpy())}

    def add(self, p):
        out, index, updates = tensors(p)
        return {
            **self.nd(p),
            "index_add_": lambda: out.index_add_(index, 0, updates),
            "index_put_": lambda: out.index_put_((index,), updates, True),
        }

    def assign(self, p):
        out, index, updates = tensors(p)
        return {"scatter_": lambda: out.scatter_(index, updates), "index_put_": lambda: out.index_put_((index,), updates)}

    def flat_add(self, p):
        return {**self.add(p), **self.along_axis(p)}

    def flat_assign(self, p):
        return {**self.assign(p), **self.along_axis(p)}

    def nd_add(self, p):
        return {**self.nd(p), **self.nd_put(p)}

    def nd_put(self, p):
        out, index, updates = tensors(p)
        columns = tuple(index[:, d].contiguous() for d in range(p.depth))
        return {"index_put_": lambda: out.index_put_(columns, updates, p.op == "add")}

    def gather(self, p):
        source, index, kept = tensor(p.source), tensor(p.index), []

        def run():
            kept[:] = [paddle.gather(source, index)]

        return {"gather": Call(run, kept.clear, lambda: kept[0].numpy())}

    flat_amax = flat_mul = flat_mean = along_axis
    rows_add, rows_assign = add, assign
    elements_add = elements_assign = elements_amax = elements_mean = along_axis
    nd_assign = nd_put
    flat_gather = rows_gather = gather

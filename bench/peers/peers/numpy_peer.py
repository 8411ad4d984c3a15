"""NumPy: one thread."""
import numpy as np


class NumPy:
    name, threads, version = "numpy", (1,), np.__version__
    races = ()

    def set_threads(self, count):
        pass

    def flat_add(self, p):
        def bincount():
            weights = None if p.workload.dtype == "int64" else p.updates
            np.add(p.out, np.bincount(p.index, weights, len(p.out)), out=p.out, casting="unsafe")

        return {"add.at": lambda: np.add.at(p.out, p.index, p.updates), "bincount": bincount}

    def flat_assign(self, p):
        def assign():
            p.out[p.index] = p.updates

        return {"out[index] = updates": assign}

    def flat_amax(self, p):
        return {"maximum.at": lambda: np.maximum.at(p.out, p.index, p.updates)}

    def flat_mul(self, p):
        return {"multiply.at": lambda: np.multiply.at(p.out, p.index, p.updates)}

    def take(self, p):
        return {f"take, {mode}": lambda mode=mode: np.take(p.source, p.index, 0, p.out, mode) for mode in ("raise", "clip")}

    def rows_add(self, p):
        return {"add.at": lambda: np.add.at(p.out, p.index, p.updates)}

    def elements_assign(self, p):
        return {"put_along_axis": lambda: np.put_along_axis(p.out, p.index, p.updates, p.axis)}

    def nd_add(self, p):
        index = tuple(np.ascontiguousarray(column) for column in p.index.T)
        return {"add.at": lambda: np.add.at(p.out, index, p.updates)}

    def nd_assign(self, p):
        index = tuple(np.ascontiguousarray(column) for column in p.index.T)

        def assign():
            p.out[index] = p.updates

        return {"out[index] = updates": assign}

    rows_assign = flat_assign
    flat_gather = rows_gather = take

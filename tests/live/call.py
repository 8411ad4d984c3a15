"""A case and its two answers, as the rules look at them."""
import numpy as np

from tensors import OracleError, load, load_arguments, same


class Call:
    """A case with its arguments as the oracle's arrays."""

    def __init__(self, case, strew, framework):
        self.system, self.op = case["system"], case["op"].rstrip("_")
        self.args = load_arguments(case["args"])
        self.refused = strew.get("error", {}).get("code")
        self.strew = load(strew["result"]) if "result" in strew else None
        self.framework = load(framework["result"]) if "result" in framework else None
        self.message = framework.get("error", {}).get("message", "")
        self.crashed = "crash" in framework
        self.by_reference = framework.get("by") == "reference"
        self.data = self.first("tensor", "params", "input", "x", "arr", "data")
        self.index = self.first("indices", "index")
        self.updates = self.first("updates", "src", "source", "value", "values")

    def first(self, *names):
        """The first argument there is of these names."""
        return next((self.args[n] for n in names if n in self.args), None)

    @property
    def both(self):
        """Strew and the framework gave a result."""
        return self.strew is not None and self.framework is not None

    @property
    def unchanged(self):
        """The framework gave back what it was given."""
        return self.framework is not None and same(self.framework, self.data)

    def is_answered(self, function, *args, **kwargs):
        """The framework's result is that of a function of the oracle, bit by bit."""
        try:
            expected = function(*args, **kwargs)
        except OracleError:
            return False
        return self.framework is not None and expected is not None and same(expected, self.framework)


def undefined_and_empty(call):
    """A reduction without a meaning for the dtype, and nothing to combine: the framework does not get to its complaint."""
    return call.refused == "unsupported" and call.unchanged and (call.index.size == 0 or call.updates.size == 0)


def wrapped_mean(dtype, total, count):
    """Counted in the dtype itself; a count that wraps to nothing is taken for 1."""
    with np.errstate(all="ignore"):
        wrapped = int(np.int64(count).astype(dtype)) or 1
        return np.int64(int(total) // wrapped).astype(dtype)

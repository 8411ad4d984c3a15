"""TensorFlow: a new tensor from each call, and a variable that is changed in place. Its scatter runs on one thread."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

from peers import Call

WORDS = {"add": "add", "assign": "update", "amax": "max"}


def renew(variable, initial):
    """Gives the variable memory of its own: a tensor that it shared would be copied in the next call."""
    variable.assign(tf.raw_ops.DeepCopy(x=initial))


class TensorFlow:
    name, threads, version = "tensorflow", (0,), tf.__version__
    races = ()

    def set_threads(self, count):
        pass

    def scatter(self, p):
        index, updates, initial, kept = tf.constant(p.column()), tf.constant(p.updates), tf.constant(p.initial), []

        function, variable = getattr(tf, f"tensor_scatter_nd_{WORDS[p.op]}"), tf.Variable(initial)
        method = getattr(variable, f"scatter_nd_{WORDS[p.op]}")

        def run():
            kept[:] = [function(initial, index, updates)]

        return {
            f"tensor_scatter_nd_{WORDS[p.op]}": Call(run, kept.clear, lambda: kept[0].numpy()),
            f"Variable.scatter_nd_{WORDS[p.op]}": Call(
                lambda: method(index, updates), lambda: renew(variable, initial), variable.numpy),
        }

    def rows(self, p):
        slices, initial = tf.IndexedSlices(tf.constant(p.updates), tf.constant(p.index)), tf.constant(p.initial)
        variable = tf.Variable(initial)
        method = getattr(variable, f"scatter_{WORDS[p.op]}")
        call = Call(lambda: method(slices), lambda: renew(variable, initial), variable.numpy)
        return {**self.scatter(p), f"Variable.scatter_{WORDS[p.op]}": call}

    def gather(self, p):
        source, index, kept = tf.constant(p.source), tf.constant(p.index), []

        def run():
            kept[:] = [tf.gather(source, index)]

        return {"gather": Call(run, kept.clear, lambda: kept[0].numpy())}

    flat_add = flat_assign = flat_amax = nd_add = nd_assign = scatter
    rows_add = rows_assign = rows
    flat_gather = rows_gather = gather

"""TensorFlow: a new tensor from each call, and a variable that is changed in place. Its scatter runs on one thread."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

from peers import Call

WORDS = {"add": "add", "assign": "update", "amax": "max"}


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
                lambda: method(index, updates), lambda: variable.assign(initial), variable.numpy),
        }

    def rows(self, p):
        slices, variable = tf.IndexedSlices(tf.constant(p.updates), tf.constant(p.index)), tf.Variable(p.initial)
        method = getattr(variable, f"scatter_{WORDS[p.op]}")
        call = Call(lambda: method(slices), lambda: variable.assign(p.initial), variable.numpy)
        return {**self.scatter(p), f"Variable.scatter_{WORDS[p.op]}": call}

    def gather(self, p):
        source, index, kept = tf.constant(p.source), tf.constant(p.index), []

        def run():
            kept[:] = [tf.gather(source, index)]

        return {"gather": Call(run, kept.clear, lambda: kept[0].numpy())}

    flat_add = flat_assign = flat_amax = nd_add = nd_assign = scatter
    rows_add = rows_assign = rows
    flat_gather = rows_gather = gather

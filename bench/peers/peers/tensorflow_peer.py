"""TensorFlow: a new tensor from each call, and a variable that is changed in place. Its scatter runs on one thread."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

from peers import Call

FUNCTIONAL = {"add": tf.tensor_scatter_nd_add, "assign": tf.tensor_scatter_nd_update, "amax": tf.tensor_scatter_nd_max}


class TensorFlow:
    name, threads, version = "tensorflow", (0,), tf.__version__

    def set_threads(self, count):
        pass

    def scatter(self, p):
        index, updates, initial, kept = tf.constant(p.column()), tf.constant(p.updates), tf.constant(p.initial), []

        def run():
            kept[:] = [FUNCTIONAL[p.op](initial, index, updates)]

        forms = {FUNCTIONAL[p.op].__name__: Call(run, kept.clear, lambda: kept[0].numpy())}
        variable = tf.Variable(initial)
        methods = {"add": variable.scatter_nd_add, "assign": variable.scatter_nd_update, "amax": variable.scatter_nd_max}
        forms["Variable." + methods[p.op].__name__] = Call(
            lambda: methods[p.op](index, updates), lambda: variable.assign(initial), variable.numpy)
        return forms

    def rows(self, p):
        slices, variable = tf.IndexedSlices(tf.constant(p.updates), tf.constant(p.index)), tf.Variable(p.initial)
        method = {"add": variable.scatter_add, "assign": variable.scatter_update}[p.op]
        call = Call(lambda: method(slices), lambda: variable.assign(p.initial), variable.numpy)
        return {**self.scatter(p), "Variable." + method.__name__: call}

    def gather(self, p):
        source, index, kept = tf.constant(p.source), tf.constant(p.index), []

        def run():
            kept[:] = [tf.gather(source, index)]

        return {"gather": Call(run, kept.clear, lambda: kept[0].numpy())}

    flat_add = flat_assign = flat_amax = nd_add = nd_assign = scatter
    rows_add = rows_assign = rows
    flat_gather = rows_gather = gather

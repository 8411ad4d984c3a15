"""JAX: compiled, with the target donated so that it is updated in place. Its scatter runs on one thread."""
import jax
import jax.numpy as jnp
import numpy as np

from peers import Call

jax.config.update("jax_enable_x64", True)

# What happens out of range. Both are checked; a promise that all is in range would not be.
MODES = ("drop", "clip")
STEPS = {"add": "add", "assign": "set", "amax": "max", "mul": "multiply"}


class Donated:
    """Keeps the target from call to call, as each call takes the old one away."""

    def __init__(self, p, function):
        self.initial, self.function = p.initial, jax.jit(function, donate_argnums=0)
        self.index, self.updates = jnp.asarray(p.index), jnp.asarray(p.updates)
        self.reset()
        self.run()

    def reset(self):
        self.target = jnp.array(self.initial, copy=True).block_until_ready()

    def run(self):
        self.target = self.function(self.target, self.index, self.updates).block_until_ready()

    def call(self):
        return Call(self.run, self.reset, lambda: np.asarray(self.target))


def scatter(p, place):
    """The forms of target.at[place(index)].step(updates)."""

    def form(mode):
        def function(target, index, updates):
            return getattr(target.at[place(target, index)], STEPS[p.op])(updates, mode=mode)

        return Donated(p, function).call()

    return {f"at[].{STEPS[p.op]}, {mode}": form(mode) for mode in MODES}


class Jax:
    name, threads, version = "jax", (0,), jax.__version__
    races = ()

    def set_threads(self, count):
        pass

    def rows(self, p):
        return scatter(p, lambda target, index: index)

    def nd(self, p):
        return scatter(p, lambda target, index: tuple(index.T))

    def elements(self, p):
        def place(target, index):
            grid = jnp.ogrid[tuple(slice(n) for n in index.shape)]
            return tuple(index if axis == p.axis else grid[axis] for axis in range(index.ndim))

        return scatter(p, place)

    def gather(self, p):
        source, index, kept = jnp.asarray(p.source), jnp.asarray(p.index), []

        def form(mode):
            function = jax.jit(lambda source, index: source.at[index].get(mode=mode))
            function(source, index).block_until_ready()

            def run():
                kept[:] = [function(source, index).block_until_ready()]

            return Call(run, kept.clear, lambda: np.asarray(kept[0]))

        return {f"at[].get, {mode}": form(mode) for mode in ("fill", "clip")}

    flat_add = flat_assign = flat_amax = flat_mul = rows_add = rows_assign = rows
    nd_add = nd_assign = nd
    elements_add = elements_assign = elements_amax = elements
    flat_gather = rows_gather = gather

"""The plain serial C loop."""
import loops


class Plain:
    name, threads, version = "C", (1,), None
    races = ()

    def set_threads(self, count):
        pass

    def loop(self, problem):
        inputs = problem.source if problem.op == "gather" else problem.updates
        return {"loop": loops.loop(problem, problem.out, inputs)} if loops.has_loop(problem) else {}

    flat_add = flat_assign = flat_amax = flat_mul = flat_mean = flat_gather = loop
    rows_add = rows_assign = rows_gather = loop
    elements_add = elements_assign = elements_amax = elements_mean = loop
    nd_add = nd_assign = loop

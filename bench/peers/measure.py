"""One workload: every form of every peer is run and compared, and the fast ones take turns until the time is up."""
import statistics
import time

import numpy as np

import loops
from peers import OURS, SHARING, Call
from problem import Problem

PAUSE = 0.01  # seconds between two calls, in which the other's threads stop spinning
SHORTEST = 0.02  # seconds: calls that take less are timed several at a time
ROUNDS = (3, 200)  # at least, at most
SLOW = 2.5  # a form whose first call takes this many times the best peer's does not take part in the rounds
HOPELESS = 5  # one that takes this many times the best peer's is not tried again in its family


class Form:
    def __init__(self, peer, threads, name, call):
        self.peer, self.threads, self.name, self.call = peer, threads, name, call
        self.answer, self.times, self.batch = "right", [], 1

    def key(self, workload):
        return workload.family, self.peer.name, self.name, self.threads

    @property
    def right(self):
        return self.answer == "right"

    def time(self):
        self.peer.set_threads(self.threads)
        time.sleep(PAUSE)
        run, batch = self.call.run, range(self.batch)
        start = time.perf_counter()
        for _ in batch:
            run()
        return (time.perf_counter() - start) / self.batch

    def batch_up(self):
        """Enough calls at a time to be measured well."""
        seconds = min(self.times)
        while seconds * self.batch < SHORTEST:
            self.batch *= 2
            seconds = self.time()

    def check(self, problem, answers):
        """Runs once from the start, compares bit by bit with the answers by name, and returns the time. Wrong once is wrong."""
        self.call.reset()
        seconds = self.time()
        if self.right:
            result = self.call.result()
            self.answer = next((name for name, bits in answers.items() if same_bits(result, bits)), "wrong")
        if self.right and self.threads > 1 and self.name in self.peer.races and problem.has_duplicates():
            self.answer = "right by luck"
        return seconds

    def entry(self, units):
        per = 1e9 / units
        return {"peer": self.peer.name, "form": self.name, "threads": self.threads, "answer": self.answer, "rounds": len(self.times),
                "median": statistics.median(self.times) * per, "minimum": min(self.times) * per}


def same_bits(a, b):
    bits = f"u{b.dtype.itemsize}"
    return a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a.view(bits), b.view(bits))


def forms_of(peer, problem, failures):
    prepare = getattr(peer, f"{problem.workload.kind}_{problem.op}", None)
    for threads in peer.threads if prepare else ():
        peer.set_threads(threads)
        try:
            forms = prepare(problem)
        except Exception as error:  # a framework may lack a kernel in any way it likes
            failures.append(f"{peer.name}: {first_line(error)}")
            continue
        for name, call in forms.items():
            yield Form(peer, threads, name, call if isinstance(call, Call) else Call(call, problem.reset, lambda: problem.out))


def first_line(error):
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"[:200]


def first_calls(peers, problem, answers, failures, hopeless):
    forms = []
    for peer in peers:
        if problem.workload.shared and peer.name not in SHARING:
            continue
        for form in forms_of(peer, problem, failures):
            if form.key(problem.workload) in hopeless:
                continue
            try:
                form.times = [form.check(problem, answers)]
                if form.times[0] < SHORTEST:
                    form.times += [form.time(), form.time()]  # the first short call is all warming up
            except Exception as error:
                failures.append(f"{peer.name} {form.name}: {first_line(error)}")
                continue
            forms.append(form)
    return forms


def within(forms, factor):
    """Strew, the plain loop, and the peers that are right and take at most `factor` times as long as the best of them."""
    peers = [form for form in forms if form.right and form.peer.name not in OURS]
    best = min((min(form.times) for form in peers), default=0)
    return [form for form in forms if form.peer.name in OURS or (form.right and min(form.times) <= factor * best)]


def take_turns(forms, seconds):
    for form in forms:
        form.batch_up()
        form.times = []
    end = time.perf_counter() + seconds
    rounds = 0
    while rounds < ROUNDS[0] or (rounds < ROUNDS[1] and time.perf_counter() < end):
        for form in forms:
            form.times.append(form.time())
        rounds += 1


def measure(workload, peers, seconds, hopeless):
    """The figures of a workload, in ns per update or call. Adds to the set of forms that are not worth another try."""
    start, problem, failures = time.perf_counter(), Problem(workload), []
    answers = loops.answers(problem)
    forms = first_calls(peers, problem, answers, failures, hopeless)
    near, contenders = within(forms, HOPELESS), within(forms, SLOW)
    hopeless.update(form.key(workload) for form in forms if form.right and form not in near)
    take_turns(contenders, seconds)
    # A race may have been won by luck before.
    for form in contenders:
        if form.threads != 1:
            form.batch = 1
            form.check(problem, answers)
    units = 1 if workload.per == "call" else problem.updates_count()
    return {"name": workload.name, "family": workload.family, "per": workload.per, "goal": workload.goal, "op": workload.op,
            "dtype": workload.dtype, "shape": workload.shape, "indices": workload.count, "bytes": problem.bytes() / units,
            "forms": [form.entry(units) for form in forms], "failures": sorted(set(failures)),
            "seconds": time.perf_counter() - start}

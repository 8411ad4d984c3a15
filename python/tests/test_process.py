"""The end of the interpreter and Ctrl-C during a call, each in a separate process."""

import signal
import subprocess
import sys
import time

import pytest

ENDING = """
import threading, time
import numpy, strew

x, i, u = numpy.zeros(300_000), numpy.arange(300_000), numpy.ones(300_000)
few = [1.0] * 3_000
calls = [
    lambda: strew.pytorch.scatter_add_(x, 0, i, u),
    lambda: strew.pytorch.scatter_add(x, 0, i, u),
    lambda: strew.pytorch.scatter_add_(x, 0, i, few),
    lambda: strew.pytorch.scatter_add(x, 0, -1 - i * 2, u),
]

def call_on(call):
    while True:
        try:
            call()
        except strew.Error:
            pass

for call in calls:
    threading.Thread(target=call_on, args=(call,), daemon=True).start()
time.sleep(0.05)
"""


def test_the_interpreter_may_end_while_a_thread_is_inside_a_call():
    for _ in range(8):
        run = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=60)
        assert (run.returncode, run.stderr) == (0, "")


# What runs in the background of a shell without job control, as tests may, starts with this signal ignored.
INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
"""

INTERRUPTED = INTERRUPTIBLE + """
import numpy, strew

count = 4_000_000
x, i, u = numpy.zeros(count), numpy.arange(count), numpy.ones(count)
calls = 0
print("ready", flush=True)
try:
    while True:
        strew.pytorch.scatter_add_(x, 0, i, u)
        calls += 1
except KeyboardInterrupt:
    # The call that was interrupted wrote everything or nothing.
    assert x.min() == x.max() and x[0] - calls in (0, 1), (x.min(), x.max(), calls)
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupted_call_writes_everything_or_nothing():
    for wait in (0.02, 0.1):
        with subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True) as run:
            try:
                assert run.stdout.readline() == "ready\n"
                time.sleep(wait)
                run.send_signal(signal.SIGINT)
                assert run.communicate(timeout=60)[0] == "interrupted\n"
                assert run.returncode == 0
            finally:
                run.kill()  # it would go on for ever, and be waited for


READING = INTERRUPTIBLE + """
import ctypes, functools, signal
import numpy, strew

class Interrupting:
    # All of it is C, so that Python does not notice the signal before the call does.
    __index__ = functools.partial(getattr(ctypes.CDLL(None), "raise"), int(signal.SIGINT))

x = numpy.zeros(100_000)
try:
    strew.pytorch.scatter_add_(x, Interrupting(), numpy.arange(100_000), numpy.ones(100_000))
except KeyboardInterrupt:
    assert not x.any()
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_while_arguments_are_read_leaves_the_output_alone():
    run = subprocess.run([sys.executable, "-c", READING], capture_output=True, text=True, timeout=60)
    assert run.stdout == "interrupted\n", run.stderr


# A thread interrupts the process as soon as `started` is set and the interpreter's lock is free.
INTERRUPTING = INTERRUPTIBLE + """
import os, sys, threading, time
import numpy, strew

started = threading.Event()

def interrupt():
    started.wait()
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
sys.setswitchinterval(1000)
"""

# The signal comes while all indices are checked: another thread sends it as soon as the call has let go of the interpreter, not before.
CHECKING = INTERRUPTING + """
count = 1 << 25
x, u = numpy.zeros(count), numpy.ones(count)
i = numpy.random.default_rng(1).permutation(count)
handled = []
if sys.argv[1] == "handled":
    signal.signal(signal.SIGINT, lambda *_: handled.append(1))
    told, telling = os.pipe()
    os.set_blocking(telling, False)
    signal.set_wakeup_fd(telling)  # as event loops do
calls = {
    "call": lambda: strew.pytorch.scatter_add_(x, 0, i, u, threads=1),
    "mean": lambda: strew.pytorch.scatter_reduce_(x, 0, i, u, "mean", threads=1),
    "gather": lambda: strew.pytorch.gather(u, 0, i, out=x, threads=1),
}
call = calls[sys.argv[2]]
try:
    started.set()
    call()
    print("ran", x.any(), len(handled), len(os.read(told, 10)))
except KeyboardInterrupt:
    print("interrupted", x.any())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("kind", ["call", "mean", "gather"])
def test_an_interrupt_while_indices_are_checked_leaves_the_output_alone(kind):
    run = subprocess.run([sys.executable, "-c", CHECKING, "raised", kind], capture_output=True, text=True, timeout=60)
    assert run.stdout == "interrupted False\n", run.stdout + run.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_signal_that_is_handled_without_an_exception_does_not_stop_a_call():
    run = subprocess.run([sys.executable, "-c", CHECKING, "handled", "call"], capture_output=True, text=True, timeout=60)
    assert run.stdout == "ran True 1 1\n", run.stdout + run.stderr


# The signal comes while the call works without the interpreter's lock.
LONG = INTERRUPTING + """
count, p = 1 << 23, strew.pytorch
x, u = numpy.zeros(1 << 20, "f4"), numpy.ones(count, "f4")
i = numpy.random.default_rng(1).integers(0, x.size, count)
calls = {
    "places": lambda: strew.places(p.scatter_add, x, 0, i, threads=1),
    "plan": lambda: p.scatter_add.plan(x, 0, i, threads=1),
    "explain": lambda: strew.explain(p.scatter_add_, x, 0, i, u, threads=1),
    "draw": lambda: strew.draw(p.scatter_add_, x, 0, i, u, threads=1),
    "winners": lambda: strew.winners(p.scatter, x, 0, i, u, threads=1),
    "vjp": lambda: strew._core.vjp(p.scatter_reduce, x, ("input", "src"), (x, 0, i, u, "amax"), None, None, 1),
    "jvp": lambda: strew._core.jvp(p.scatter_reduce, {"src": u}, (x, 0, i, u, "prod"), None, None, 1),
    "compare": lambda: strew.compare(x, i, u, axis=0, reduction="add"),
}
try:
    started.set()
    calls[sys.argv[1]]()
    for _ in range(1000): time.sleep(0.01)
except KeyboardInterrupt:
    print("interrupted", x.any())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("kind", ["places", "plan", "explain", "draw", "winners", "vjp", "jvp", "compare"])
def test_an_interrupt_is_a_keyboard_interrupt_in_every_function(kind):
    run = subprocess.run([sys.executable, "-c", LONG, kind], capture_output=True, text=True, timeout=60)
    assert run.stdout == "interrupted False\n", run.stdout + run.stderr


# A thread that ends in code that a call runs, as pthread_exit and Python's own end of daemon threads do it. All of it is C: the
# interpreter's lock is free meanwhile.
ENDED = """
import ctypes, functools, threading, time
import numpy, strew

class Ending:
    __index__ = __float__ = __array__ = functools.partial(ctypes.CDLL(None).pthread_exit, None)

x, i, u = numpy.zeros(5_000), numpy.arange(5_000), numpy.ones(5_000)
p, plan, end = strew.pytorch, strew.pytorch.scatter_add_.plan(x, 0, i), Ending()
for call in [
    lambda: p.scatter_add_(x, end, i, u),
    lambda: p.scatter_add(x, 0, i, u, threads=end),
    lambda: p.scatter_add_(x, 0, i, end),
    lambda: p.scatter_add(x, 0, i, u, out=end),
    lambda: p.scatter_add_.plan(x, end, i),
    lambda: plan(end, out=x),
    lambda: strew.explain(p.scatter_add, x, end, i, u),
    lambda: strew.numpy.add_at(x, (slice(end, None),), 1.0),
    lambda: strew.tensorflow.scatter_nd([[0]], [1.0], [end]),
    lambda: strew.set_threads(end),
    lambda: strew.set_scratch_limit(end),
]:
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(0.02)
    assert not x.any()
p.scatter_add_(x, 0, i, u)
assert x.all()
print("done")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="pthread_exit unwinds")
def test_a_thread_may_end_inside_a_call():
    run = subprocess.run([sys.executable, "-c", ENDED], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr

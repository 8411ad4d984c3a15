"""The end of the interpreter and Ctrl-C while a call runs, each in a process of its own."""

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


INTERRUPTED = """
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
            assert run.stdout.readline() == "ready\n"
            time.sleep(wait)
            run.send_signal(signal.SIGINT)
            assert run.communicate(timeout=60)[0] == "interrupted\n"
            assert run.returncode == 0


READING = """
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

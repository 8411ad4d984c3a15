"""The cost of the import, and the features that work without NumPy."""

import subprocess
import sys

import pytest

IMPORT = """
import time
import numpy
start = time.perf_counter()
import strew
print(time.perf_counter() - start)
"""

WITHOUT = """
import sys
import strew
assert "numpy" not in sys.modules
sys.modules["numpy"] = None  # as if it were not installed
import array
x = array.array("d", [0, 0, 0])
strew.pytorch.scatter_add_(x, 0, array.array("q", [1, 1]), array.array("d", [1, 2]))
assert x.tolist() == [0, 3, 0]
result = strew.pytorch.scatter_add(x, 0, array.array("q", [1, 1]), array.array("d", [1, 2]))
assert isinstance(result, memoryview) and result.tolist() == [0, 6, 0], result
try:
    strew.pytorch.scatter_add(x, 0, [1, 1], array.array("d", [1, 2]))
except strew.Error as error:
    assert str(error).endswith("ImportError: lists and strings reach Strew through NumPy, which is not installed: pip install numpy"), error
    assert isinstance(error.__cause__, ImportError)
else:
    raise AssertionError("a list needs NumPy")
"""


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_import_is_quick():
    assert min(float(run(IMPORT)) for _ in range(5)) < 0.05


def test_numpy_is_needed_only_for_numpy_arrays():
    run(WITHOUT)


WITHOUT_DASK = """
import sys
import strew
assert "dask" not in sys.modules
sys.modules["dask"] = None  # as if it were not installed
try:
    import strew.dask
except ImportError as error:
    print(error)
"""


def test_dask_is_needed_only_for_its_arrays():
    assert run(WITHOUT_DASK) == "strew.dask needs Dask: pip install strew[dask]\n"


SECOND_INTERPRETER = """
import sys
import numpy, strew
import _xxsubinterpreters as interpreters

second = interpreters.create()
try:
    interpreters.run_string(second, f"import sys; sys.path = {sys.path!r}; import strew._core")
except interpreters.RunFailedError as error:
    print("refused", "ImportError" in str(error))
interpreters.destroy(second)
try:
    strew.numpy.add_at(numpy.zeros(3), [7], 1.0)
except strew.Error as error:
    print(type(error).__name__)
"""


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the module of subinterpreters has another name")
def test_a_second_interpreter_is_refused():
    run = subprocess.run([sys.executable, "-c", SECOND_INTERPRETER], capture_output=True, text=True, timeout=60)
    assert run.stdout == "refused True\nBadIndexError\n", run.stdout + run.stderr

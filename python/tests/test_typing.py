"""The stubs are what the registry says, and mypy understands them."""

import importlib.util
import subprocess
import sys
import sysconfig

import pytest

from support import ROOT

WRONG = {
    'strew.pytorch.scatter_add([1], "0", [0], [1])': 'incompatible type "str"; expected "SupportsIndex"',
    "strew.pytorch.scatter_add([1], 0, [0])": 'Missing positional argument "src"',
    "strew.onnx.scatter_nd([1], [[0]], [1], 'add')": "Too many positional arguments",
    "strew.onnx.scatter_nd([1], [[0]], [1], reductions='add')": 'Unexpected keyword argument "reductions"',
    "strew.pytorch.scatter_add_([1], 0, [0], [1], out=[1])": 'Unexpected keyword argument "out"',
    "strew.pytorch.scatter_add_.plan([1], 0, [0], [1])": 'Too many positional arguments for "plan"',
    "strew.pytorch.scatter_add_.plan([1], 0)": 'Missing positional argument "index"',
    "strew.pytorch.gather.plan": 'has no attribute "plan"',
    "strew.pytorch.scatter_add_.plan([1], 0, [0])([1], into=[1])": "No overload variant",
    "strew.torch": 'Module has no attribute "torch"',
}


def mypy(*arguments):
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "/dev/null", "--follow-imports", "silent",
               "--config-file", str(ROOT / "pyproject.toml"), *arguments]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "python" / "tests")


def test_stubs_are_current():
    run = subprocess.run([sys.executable, str(ROOT / "scripts" / "python_stubs"), "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


needs_mypy = pytest.mark.skipif(
    bool(sysconfig.get_config_var("Py_GIL_DISABLED")) and importlib.util.find_spec("mypy") is None,
    reason="there is no mypy for this free-threaded Python")


@needs_mypy
def test_mypy_accepts_the_sample():
    run = mypy("typing_sample.py")
    assert run.returncode == 0, run.stdout


@needs_mypy
def test_mypy_accepts_the_package():
    run = mypy(str(ROOT / "python" / "strew"))
    assert run.returncode == 0, run.stdout


@needs_mypy
def test_mypy_sees_mistakes():
    said = mypy("-c", "import strew\n" + "\n".join(WRONG)).stdout.splitlines()
    for line, (call, text) in enumerate(WRONG.items(), 2):
        assert any(f":{line}: error" in row and text in row for row in said), (call, said)

"""The strew command of the package: `strew` and `python -m strew`."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import strew

SCRIPT = Path(sys.executable).parent / "strew"
WAYS = [[str(SCRIPT)], [sys.executable, "-m", "strew"]]


def command(*words, way=WAYS[1], **options):
    return subprocess.run([*way, *map(str, words)], capture_output=True, text=True, timeout=60, **options)


@pytest.mark.parametrize("way", WAYS, ids=["script", "module"])
def test_runs_an_operator(way, tmp_path):
    x, i, s = np.arange(6.0).reshape(2, 3), np.array([[0, 1, 1]]), np.ones((1, 3))
    for name, array in (("x", x), ("i", i), ("s", s)):
        np.save(tmp_path / f"{name}.npy", array)
    result = command("run", "pytorch.scatter_add", "input=x.npy", "dim=0", "index=i.npy", "src=s.npy", "-o", "y.npy", way=way, cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "y.npy: float64, shape [2, 3]\n", "")
    assert np.array_equal(np.load(tmp_path / "y.npy"), strew.pytorch.scatter_add(x, 0, i, s))


@pytest.mark.parametrize("way", WAYS, ids=["script", "module"])
def test_exit_codes(way):
    assert command("--version", way=way).stdout == f"strew {strew.__version__}\n"
    assert command("run", "pytorch.gather", "input=[1]", "dim=0", "index=[5]", way=way).returncode == 1
    assert command("run", "pytorch.gather", "input=none.npy", "dim=0", "index=[0]", way=way).returncode == 2
    assert command("nonsense", way=way).returncode == 2


def test_arguments_are_a_list_of_bytes():
    for wrong in (1, None, (b"list",), ["list"]):
        with pytest.raises(TypeError):
            strew._core.command(wrong)


def test_bfloat16_of_ml_dtypes(tmp_path):
    x = np.array([1, 2, np.nan, -0.0, 3.140625], ml_dtypes.bfloat16)
    np.save(tmp_path / "x.npy", x)
    assert command("run", "onnx.gather_elements", "data=x.npy", "indices=[4,3,2,1,0]", "-o", "y.npy", cwd=tmp_path).returncode == 0
    assert np.load(tmp_path / "y.npy").view(ml_dtypes.bfloat16).tobytes() == x[::-1].tobytes()
    np.save(tmp_path / "z.npy", x[::-1])
    assert (tmp_path / "y.npy").read_bytes() == (tmp_path / "z.npy").read_bytes()


def test_names_that_are_no_utf8(tmp_path):
    name = os.fsdecode(b"\xff.npy")
    np.save(tmp_path / "x.npy", np.arange(3))
    (tmp_path / "x.npy").rename(tmp_path / name)
    result = command("run", "strew.gather", f"source={name}", "index=[2]", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, "int64, shape [1]\n[2]\n")


def test_a_closed_pipe_ends_it_silently():
    with subprocess.Popen([*WAYS[1], "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == -signal.SIGPIPE


# A job in the background of a shell starts with the signal ignored.
def heed_ctrl_c():
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_removes_the_temporary_file(tmp_path):
    with open(tmp_path / "x.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (16 << 20,)})
        file.truncate(file.tell() + (128 << 20))
    for _ in range(10):
        run = subprocess.Popen([*WAYS[1], "run", "numpy.add_at", "a=x.npy", "indices=[1]", "b=1", "-o", "y.npy"], cwd=tmp_path,
                               preexec_fn=heed_ctrl_c)  # fmt: skip
        while run.poll() is None and len(os.listdir(tmp_path)) < 2:
            pass
        run.send_signal(signal.SIGINT)
        if run.wait() == 0:  # it was faster than this loop
            (tmp_path / "y.npy").unlink()
            continue
        assert run.returncode == -signal.SIGINT
        assert os.listdir(tmp_path) == ["x.npy"]
        return
    raise AssertionError("the run was always too fast to be interrupted")

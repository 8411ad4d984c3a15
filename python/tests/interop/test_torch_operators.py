import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("torch")

HERE = pathlib.Path(__file__).parent


def test_in_a_process_of_its_own():
    command = [sys.executable, "-m", "pytest", "-q", "-x", str(HERE / "torch_operators.py"), "-o", "python_files=*.py"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parent)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-1000:]


@pytest.mark.parametrize("arguments", [["graph_network.py", "--nodes", "400", "--steps", "12", "--plot", "plot.svg"]])
def test_example(arguments, tmp_path):
    examples = HERE.parents[2] / "examples"
    run = subprocess.run([sys.executable, str(examples / arguments[0]), *arguments[1:]], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    losses = {line.split()[0]: line.split("loss ")[1].split(",")[0].split(" -> ") for line in run.stdout.splitlines()}
    assert losses["Strew"] == losses["torch"] and float(losses["Strew"][1]) < float(losses["Strew"][0]) - 0.3
    assert (tmp_path / "plot.svg").read_text().count("<polyline") == 4

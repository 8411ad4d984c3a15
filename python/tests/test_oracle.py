"""Random calls through Python, judged by the oracle: one naive function per operator that shares nothing with the library."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

from support import ROOT, answer, dtype_name

PROGRAM = pathlib.Path(os.environ.get("STREW_CASES_PROGRAM", ROOT / "build" / "test-release" / "tests" / "strew_cases"))
DIALECTS = ("tensorflow", "pytorch", "paddle", "onnx", "directml", "numpy", "strew")


def json_tensor(array):
    """A result as the oracle reads it."""
    def plain(x):
        if isinstance(x, complex):
            return [plain(x.real), plain(x.imag)]
        return x if not isinstance(x, float) or x - x == 0 else "NaN" if x != x else "Infinity" if x > 0 else "-Infinity"

    wide = array.astype("float32") if dtype_name(array) == "bfloat16" else array
    return {"dtype": dtype_name(array), "shape": list(array.shape), "data": [plain(x) for x in wide.ravel().tolist()]}


def answered(line):
    case = json.loads(line)
    got = answer(case)
    failed = isinstance(got, Exception)
    case["answer"] = {"error": {"code": got.code, "message": str(got)}} if failed else {"result": json_tensor(got)}
    return case


def has_strided_strings(case):
    """Strings are copied to dense memory, so errors about their strides cannot be tested here."""
    return any(isinstance(t, dict) and t.get("dtype") == "string" and "strides" in t for t in case["args"].values())


# A program that is missing by accident must not pass, so tests of an installed package must state that there is none.
@pytest.mark.skipif(bool(os.environ.get("STREW_WITHOUT_CASES")), reason="STREW_WITHOUT_CASES is set")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_random_cases(dialect):
    assert PROGRAM.exists(), f"{PROGRAM} is not built; STREW_WITHOUT_CASES=1 leaves this test out"
    generate = [str(PROGRAM), "generate", "--count", "150", "--seed", "7", "--op", dialect]
    cases = subprocess.run(generate, capture_output=True, text=True, check=True)
    lines = [json.dumps(answered(line)) for line in cases.stdout.splitlines() if not has_strided_strings(json.loads(line))]
    assert len(lines) >= 150
    judging = [sys.executable, str(ROOT / "tests" / "oracle" / "judge.py")]
    judge = subprocess.run(judging, input="\n".join(lines), capture_output=True, text=True)
    assert judge.returncode == 0, judge.stdout[-2000:]

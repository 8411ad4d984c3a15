"""Replays the recorded answers of the real frameworks through Python. Cases that docs/differences.md lists must differ."""

import pytest

from support import ROOT, answer, buffer_of, recorded, same, view_of

SYSTEMS = ("tensorflow", "pytorch", "paddle", "onnxruntime", "onnx_reference", "numpy")


def listed():
    rows = (ROOT / "docs" / "differences.md").read_text(encoding="utf-8").splitlines()
    cells = [row.split("|")[1].strip() for row in rows if row.startswith("| ")]
    return {cell for cell in cells if "/" in cell and " " not in cell}


def suffix(case):
    return case["id"].split("/", 1)[1]


def decided_by_runtime():
    """If ONNX Runtime has a kernel and a single answer, it takes precedence over the reference evaluator."""
    return {suffix(case) for case in recorded("onnxruntime") if "unsupported" not in case and "unspecified" not in case}


def agrees(case, got):
    if "unsupported" in case or "disputed" in case:
        return True
    failed = isinstance(got, Exception)
    if "error" in case:
        return failed
    if "unspecified" in case:
        return not failed
    return not failed and same(view_of(case["result"], buffer_of(case["result"])), got)


@pytest.mark.parametrize("system", SYSTEMS)
def test_answers_as_recorded_or_listed(system):
    differs, elsewhere = listed(), decided_by_runtime()
    wrong, seen = [], 0
    for case in recorded(system):
        if system == "onnx_reference" and suffix(case) in elsewhere:
            continue
        seen += 1
        got = answer(case)
        if agrees(case, got) == (case["id"] in differs):
            wrong.append(f"{case['id']}: {got!r}")
    assert not wrong, "\n".join(wrong[:20])
    assert seen > (100 if system == "onnx_reference" else 600)

"""Judges answers of the product, or the recorded answers of the frameworks, by the oracle. See README.md."""
import argparse
import glob
import json
import os
import sys

import directml
import numpy_at
import onnx
import own
import paddle
import pytorch
import tensorflow
from tensors import OracleError, OverlapError, load, load_arguments, same, text

SYSTEMS = {"tensorflow": tensorflow, "pytorch": pytorch, "paddle": paddle, "onnx": onnx, "onnxruntime": onnx,
           "onnx_reference": onnx, "directml": directml, "numpy": numpy_at, "strew": own}
SHOWN = 40


def ask_oracle(case, ignore_overlap=False):
    """The oracle's Array, or the error it raises."""
    arguments = load_arguments(case["args"])
    if ignore_overlap:
        for value in arguments.values():
            if hasattr(value, "memory"):
                value.memory = None
    try:
        return getattr(SYSTEMS[case["system"]], case["op"])(**arguments)
    except OracleError as error:
        return error


def shares(case):
    return any(isinstance(v, dict) and "shares" in v for v in case["args"].values())


def describe(answer):
    return "error (%s)" % answer if isinstance(answer, Exception) else text(answer)


def compare(expected, result, error):
    """None if the answer is the oracle's, else the difference on one line."""
    if error is not None:
        return None if isinstance(expected, Exception) else "oracle %s, answer error %s" % (describe(expected), error)
    got = load(result)
    if not isinstance(expected, Exception) and same(expected, got):
        return None
    return "oracle %s, answer %s" % (describe(expected), text(got))


def judge_answer(case):
    """None, or what is wrong with the product's answer."""
    answer = case["answer"]
    error = answer.get("error")
    if error is not None and error["code"] == "overlap":
        # Which aliasing is refused is tested elsewhere; here only that some could exist.
        if shares(case) or isinstance(ask_oracle(case), OverlapError):
            return None
        return "oracle %s, answer error %s" % (describe(ask_oracle(case)), error)
    expected = ask_oracle(case)
    if isinstance(expected, OverlapError) and shares(case):
        expected = ask_oracle(case, ignore_overlap=True)
    return compare(expected, answer.get("result"), error)


def judge_stream(lines):
    passed, wrong = 0, []
    for line in lines:
        if not line.strip():
            continue
        name = line.strip()[:60]
        try:
            case = json.loads(line)
            name = case["id"]
            problem = judge_answer(case)
        except Exception as failure:
            # A line that the oracle cannot read, or an argument it does not know, must not pass.
            problem = "the oracle failed: %r" % failure
        if problem is None:
            passed += 1
        else:
            wrong.append("%s: %s" % (name, problem))
    return passed, wrong


def recorded_cases(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)


def judge_golden(folder):
    """The frameworks' own answers; ONNX Runtime's rules over the reference evaluator's for the same case."""
    silent = ("unspecified", "unsupported", "disputed", "overruled")
    cases = list(recorded_cases(folder))
    ruled = {c["id"].split("/", 1)[1] for c in cases if c["system"] == "onnxruntime" and not any(k in c for k in silent)}
    passed, wrong = 0, []
    for case in cases:
        if any(k in case for k in silent):
            continue
        if case["system"] == "onnx_reference" and case["id"].split("/", 1)[1] in ruled:
            continue
        error = case["error"]["message"].split("\n")[0][-120:] if "error" in case else None
        problem = compare(ask_oracle(case), case.get("result"), error)
        if problem is None:
            passed += 1
        else:
            wrong.append("%s: %s" % (case["id"], problem))
    return passed, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--golden", metavar="DIR", help="judge the recorded answers in DIR instead of standard input")
    parser.add_argument("--all", action="store_true", help="print every mismatch, not the first %d" % SHOWN)
    options = parser.parse_args()
    passed, wrong = judge_golden(options.golden) if options.golden else judge_stream(sys.stdin)
    for line in wrong if options.all else wrong[:SHOWN]:
        print(line)
    print("%d passed, %d failed" % (passed, len(wrong)))
    return 1 if wrong or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

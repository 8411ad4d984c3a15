"""Runs in a framework's own environment: a case on each line of the input, the framework's answer on each line of the output.

An answer is {"result": T}, {"error": {"class", "message"}} or {"lacks": why}: the framework cannot hold such a tensor or has no kernel.
"""
import importlib.util
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def load_tensors():
    """The oracle's reader of JSON tensors, by its path: other files beside it are named like the frameworks."""
    spec = importlib.util.spec_from_file_location("tensors", os.path.join(HERE, "..", "oracle", "tensors.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["tensors"] = module
    spec.loader.exec_module(module)
    return module


def own_output():
    """The output for answers alone: what a framework prints goes to the log."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def answer(adapter, load_arguments, case):
    try:
        return adapter.run(case["op"], load_arguments(case["args"]))
    except Exception as error:
        message = str(error)
        if adapter.is_lacking(error, message):
            return {"lacks": message[:400]}
        return {"error": {"class": type(error).__name__, "message": message[:400]}}


def main():
    answers = own_output()
    load_arguments = load_tensors().load_arguments
    adapter = importlib.import_module("adapter_" + sys.argv[1])
    print(json.dumps({"versions": adapter.versions()}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(adapter, load_arguments, json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()

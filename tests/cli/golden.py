"""Recorded calls of the real frameworks, made with the command: every operator, its arguments by name, and the same results and errors."""
import json
import unittest
from pathlib import Path

import numpy as np

from support import InFolder

TESTS = Path(__file__).resolve().parents[1]
SYSTEMS = ("tensorflow", "pytorch", "paddle", "onnxruntime", "numpy")
DIFFERENT = (TESTS.parent / "docs" / "differences.md").read_text()
CASES_PER_OPERATOR = 7


def is_plain(value):
    if isinstance(value, dict) and "key" in value:
        return all(is_plain(part) for part in value["key"])
    return not isinstance(value, dict) or "slice" in value or ("data" in value and not {"strides", "offset", "shares"} & value.keys())


def usable(case):
    marks = {"unspecified", "unsupported", "disputed", "overruled", "after_error"} & case.keys()
    return not marks and case["id"] not in DIFFERENT and all(is_plain(value) for value in case["args"].values())


def chosen():
    """Some cases of each operator, of different dtypes and both kinds of outcome."""
    for system in SYSTEMS:
        operators = {}
        for line in (TESTS / "golden" / f"{system}.jsonl").read_text().splitlines():
            case = json.loads(line)
            if usable(case):
                dtype = next((value["dtype"] for value in case["args"].values() if isinstance(value, dict) and "dtype" in value), "")
                operators.setdefault(case["op"], {}).setdefault(("error" in case, dtype), case)
        for kinds in operators.values():
            cases = sorted(kinds.items(), key=lambda item: item[0])
            step = max(1, len(cases) // CASES_PER_OPERATOR)
            yield from (case for _, case in cases[::step])


def array(tensor):
    """The array of a recorded tensor; bfloat16 as its bits."""
    dtype, data = tensor["dtype"], tensor["data"]
    if dtype == "string":
        return np.array(data, "U").reshape(tensor["shape"])
    if dtype.startswith("complex"):
        data = [complex(*map(float, pair)) for pair in data]
    elif dtype[:2] in ("fl", "bf"):
        data = list(map(float, data))
    if dtype == "bfloat16":
        return (np.array(data, "f4").view("u4") >> 16).astype("u2").reshape(tensor["shape"])
    return np.array(data, dtype).reshape(tensor["shape"])


def save(name, tensor):
    values = array(tensor)
    if tensor["dtype"] != "bfloat16":
        return np.save(name, values)
    with open(name, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<V2", "fortran_order": False, "shape": values.shape})
        file.write(values.tobytes())


def bits(values):
    """Bytes in which all NaNs are equal."""
    if values.dtype.kind in "fc":
        parts = values.view(values.real.dtype) if values.ndim else values.reshape(1).view(values.real.dtype)
        values = np.where(np.isnan(parts), np.array(np.nan, parts.dtype), parts)
    return values.tobytes()


class Golden(InFolder):
    def word(self, name, value):
        """The value of an argument, in a file if it is a tensor."""
        if isinstance(value, dict) and "key" in value:
            return "".join(self.word(f"{name}{i}", part) + "," for i, part in enumerate(value["key"]))
        if isinstance(value, dict) and "slice" in value:
            return ":".join("" if bound is None else str(bound) for bound in value["slice"])
        if isinstance(value, dict) and "data" in value:
            save(f"{name}.npy", value)
            return f"{name}.npy"
        if isinstance(value, bool):
            return str(value).lower()
        return "None" if value is None else str(value)

    def test_recorded_calls(self):
        count = 0
        for case in chosen():
            dialect = case["id"].split("/")[0].replace("onnxruntime", "onnx")
            words = [f"{name}={self.word(name, value)}" for name, value in case["args"].items()]
            if case["op"] == "put_along_axis" and "axis" not in case["args"]:
                words.append("axis=none")  # a value to pass, for NumPy
            with self.subTest(case["id"]):
                if "error" in case:
                    message = self.refused(1, "run", f"{dialect}.{case['op']}", *words, "-o", "y.npy")
                    self.assertTrue(message.startswith(f"{dialect}."), message)
                    self.assertNotIn("y.npy", self.names())
                else:
                    self.done("run", f"{dialect}.{case['op']}", *words, "-o", "y.npy", "-q")
                    result, expected = np.load("y.npy"), array(case["result"])
                    result = result.view("u2") if case["result"]["dtype"] == "bfloat16" else result
                    self.assertEqual((result.shape, result.dtype.kind), (expected.shape, expected.dtype.kind))
                    if result.dtype.kind == "U":
                        self.assertEqual(result.tolist(), expected.tolist())
                    else:
                        self.assertEqual(bits(result), bits(expected))
                    Path("y.npy").unlink()
            count += 1
        self.assertGreater(count, 120)


if __name__ == "__main__":
    unittest.main()

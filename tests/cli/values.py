"""Values on the command line: literals, index keys, defaults, and what is said about wrong ones."""
import json
import math
import subprocess
import unittest

import numpy as np

from support import STREW, InFolder


class Literals(InFolder):
    def values(self, text, reader=json.loads):
        """The dtype, shape and elements of a literal, which an operator copies without a change."""
        answer = reader(self.done("run", "strew.gather", f"source={text}", "index=[0]", "--json"))
        return answer["dtype"], answer["shape"][1:], answer["values"][0]

    def test_dtypes(self):
        for text, dtype, shape, values in (
            ("[1]", "int64", [], 1),
            ("[[1,2],[3,4]]", "int64", [2], [1, 2]),
            ("[ 1.5 , 2 ]", "float64", [], 1.5),
            ("[true]", "bool", [], True),
            ("[True, 2]", "int64", [], 1),
            ("[-1e-3]", "float64", [], -0.001),
            ("[1e-400]", "float64", [], 0),
            ("[-0.00001e-320]", "float64", [], -0.0),
            ("[1000e-99999999999999999999]", "float64", [], 0),
            ("[1+2j]", "complex128", [], [1.0, 2.0]),
            ("[-2.5e-3-1e-2j]", "complex128", [], [-0.0025, -0.01]),
            ("[3j]", "complex128", [], [0.0, 3.0]),
            ("[nan]", "float64", [], "NaN"),
            ("[-inf]", "float64", [], "-Infinity"),
            ("[18446744073709551615]", "uint64", [], 2**64 - 1),
            ("[-9223372036854775808]", "int64", [], -2**63),
            ("[5]:int8", "int8", [], 5),
            ("[5]:bool", None, None, None),
            ("[5]:float16", "float16", [], 5),
            ("[0.1]:bfloat16", "bfloat16", [], 0.100097656),
            ("[16777217]:float32", "float32", [], 16777216),
            ("[1]:complex64", "complex64", [], [1, 0]),
            ('["a\\"b\\\\\\n,]","ü"]', "string", [], 'a"b\\\n,]'),
            ('[["",""]]', "string", [2], ["", ""]),
            ('["\\u00e4\\/\\b\\f\\r\\t\\ud834\\udd1e"]', "string", [], "ä/\b\f\r\t𝄞"),
            ("[1,2,]", "int64", [], 1),
        ):
            with self.subTest(text):
                if dtype is None:
                    self.assertIn("is no bool", self.refused(2, "run", "strew.gather", f"source={text}", "index=[0]"))
                else:
                    self.assertEqual(self.values(text), (dtype, shape, values))

    def test_shapes(self):
        for text, shape in (("[]", [0]), ("[[],[]]", [2, 0]), ("[[[]]]", [1, 1, 0]), ("5", []), ("[[1]]:int8", [1, 1])):
            answer = json.loads(self.done("run", "numpy.add_at", f"a={text}", "indices=...", "b=0", "--json"))
            self.assertEqual(answer["shape"], shape)

    def test_wrong_ones(self):
        for text, part in (
            ("[1", "does not end"),
            ("[1 2]", "lacks a comma"),
            ("[1,,2]", "lacks a number"),
            ("[1]]", 'has "]" after its end'),
            ("[[1],2]", "lists of different sizes"),
            ("[[1,2],[3]]", "lists of different sizes"),
            ("[x]", '"x", which is no number'),
            ("[0x10]", "no number"),
            ("[1_000]", "no number"),
            ("[--1]", "no number"),
            ("[1e999]", "1e999, which is out of the range of float64"),
            ("-1e400", "out of the range"),
            ("[0.001e99999999999999999999]", "out of the range"),
            ("", "the value is empty"),
            ('["a]', "does not end"),
            ('["\\q"]', "escape"),
            ('["\\u12"]', "four hexadecimal digits"),
            ('["\\u12-4"]', "four hexadecimal digits"),
            ('["\\ud834"]', "surrogate"),
            ('["\\ud834\\u0041"]', "surrogate"),
            ('["\\udd1e"]', "surrogate"),
            ('["a",1]', "mixes strings and numbers"),
            ("[300]:int8", "300 is no int8"),
            ("[-1]:uint64", "-1 is no uint64"),
            ("[1.0]:int64", "1 is no int64"),
            ("[1e39]:float32", "is no float32"),
            ("[65520]:float16", "65520 is no float16"),
            ("[1j]:float64", "0+1j is no float64"),
            ('["a"]:int8', '"a" is no int8'),
            ("[1]:string", "1 is no string"),
            ("[1]:int128", 'no dtype "int128"; there are bool, int8'),
            ("[" * 100 + "]" * 100, "more than 64 dimensions"),
        ):
            with self.subTest(text):
                message = self.refused(2, "run", "strew.gather", f"source={text}", "index=[0]")
                self.assertTrue(message.startswith("source: "), message)
                self.assertIn(part, message)

    def test_literals_take_the_dtype_of_the_other_data(self):
        np.save("x.npy", np.zeros(3, "f2"))
        for source in ("src=[1]", "src=1.5"):
            answer = json.loads(self.done("run", "pytorch.scatter", "input=x.npy", "dim=0", "index=[0]", source, "--json"))
            self.assertEqual(answer["dtype"], "float16")
        np.save("i.npy", np.zeros(3, "i4"))
        self.assertIn("src: 1.5 is no int32", self.refused(2, "run", "pytorch.scatter_add", "input=i.npy", "dim=0", "index=[0]", "src=[1.5]"))
        for dialect, call, integer, floating in (
            ("tensorflow", ["tensor_scatter_nd_add", "tensor={}", "indices=[[0]]", "updates=[1]"], "int32", "float32"),
            ("pytorch", ["scatter_add", "input={}", "dim=0", "index=[0]", "src=[1]"], "int64", "float32"),
            ("numpy", ["add_at", "a={}", "indices=[0]", "b=[1]"], "int64", "float64"),
        ):
            for data, dtype in (("[1,2]", integer), ("[1.5,2]", floating), ("[1,2]:uint8", "uint8")):
                words = [word.format(data) for word in call]
                answer = json.loads(self.done("run", f"{dialect}.{words[0]}", *words[1:], "--json"))
                self.assertEqual(answer["dtype"], dtype)
        # One of the literals is a float, so all are.
        answer = json.loads(self.done("run", "numpy.add_at", "a=[1,2]", "indices=[0,1]", "b=[1,0.5]", "--json"))
        self.assertEqual((answer["dtype"], answer["values"]), ("float64", [2, 2.5]))


    def test_a_number_is_converted_by_the_operator(self):
        for call, expected in (
            (["pytorch.scatter", "input=[7]:uint8", "dim=0", "index=[0]", "src=1.5"], [1]),
            (["numpy.add_at", "a=[1]:int8", "indices=[0]", "b=300"], [45]),
            (["numpy.put_along_axis", "arr=[1]:uint8", "indices=[0]", "values=1.5", "axis=0"], [1]),
            (["numpy.put_along_axis", "arr=[1]:uint8", "indices=[0]", "values=300", "axis=0"], "out of bounds for uint8"),
            (["pytorch.scatter", "input=[1]:int8", "dim=0", "index=[0]", "src=300"], "without overflow"),
        ):
            with self.subTest(call):
                if isinstance(expected, str):
                    self.assertIn(expected, self.refused(1, "run", *call))
                else:
                    self.assertEqual(json.loads(self.done("run", *call, "--json"))["values"], expected)


class Keys(InFolder):
    def test_every_index_that_numpy_takes(self):
        a = np.arange(60).reshape(3, 4, 5)
        np.save("a.npy", a)
        np.save("rows.npy", np.array([2, 0, 2]))
        np.save("mask.npy", a % 3 == 0)
        rows, mask = np.load("rows.npy"), np.load("mask.npy")
        for text, key in (
            ("1", np.s_[1]), ("-1", np.s_[-1]), ("1,2", np.s_[1, 2]), ("(1, 2)", np.s_[1, 2]), ("...", np.s_[...]), (":", np.s_[:]), ("::-1", np.s_[::-1]),
            ("1:5:2", np.s_[1:5:2]), ("-2:", np.s_[-2:]), (":,[0,1]", np.s_[:, [0, 1]]), ("[2,0,2]", np.s_[[2, 0, 2]]), ("[2,0,2],", np.s_[[2, 0, 2],]),
            ("[[0,1],[1,2]],1:3", np.s_[[[0, 1], [1, 2]], 1:3]), ("...,[0,4]", np.s_[..., [0, 4]]), ("None,0", np.s_[None, 0]), ("newaxis,...,1", np.s_[None, ..., 1]),
            ("rows.npy", np.s_[rows]), ("rows.npy,:,rows.npy", np.s_[rows, :, rows]), ("mask.npy", np.s_[mask]), ("[true,false,true]", np.s_[[True, False, True]]),
            ("True", np.s_[True]), ("false,1", np.s_[False, 1]), ("[]", np.s_[[]]), ("[0,1]:int8,[2,3]:uint16", np.s_[[0, 1], [2, 3]]),
            (":99999999999999999999", np.s_[:99999999999999999999]), ("", np.s_[()]),
        ):
            with self.subTest(text):
                expected = a.copy()
                np.add.at(expected, key, 7)
                self.done("run", "numpy.add_at", "a=a.npy", f"indices={text}", "b=7", "-o", "y.npy", "-f", "-q")
                np.testing.assert_array_equal(np.load("y.npy"), expected)

    def test_one_tensor_for_each_axis(self):
        out = json.loads(self.done("run", "strew.scatter_max", "out=[[0,0,0],[0,0,0]]", "index=[0,1,0],[2,2,2]", "values=[5,6,4]", "--json"))
        self.assertEqual(out["values"], [[0, 0, 5], [0, 0, 6]])
        self.assertIn("must be integers, lists or files", self.refused(2, "run", "strew.scatter", "out=[0]", "index=:", "values=[1]"))

    def test_wrong_ones(self):
        for text, part in ((",1", "a comma without an index"), ("1:2:3:4", "more than three parts"), ("1:+-2", "no integer"), ("[1.5]", "1.5 is no int64"), ("x", "x: cannot be opened")):
            with self.subTest(text):
                self.assertIn(part, self.refused(2, "run", "numpy.add_at", "a=[1,2]", f"indices={text}", "b=1"))


class Arguments(InFolder):
    CALL = ["run", "pytorch.scatter_reduce", "input=[1,2]", "dim=0", "index=[0]", "src=[5]", "reduce=sum"]

    def test_defaults_and_words(self):
        self.assertEqual(json.loads(self.done(*self.CALL, "--json"))["values"], [6, 2])
        self.assertEqual(json.loads(self.done(*self.CALL, "include_self=false", "--json"))["values"], [5, 2])
        self.assertEqual(json.loads(self.done(*self.CALL, "threads=3", "--json"))["values"], [6, 2])
        data = ["input=[[1,2]]:float32", "indices=[[7]]:uint32", "updates=[9]:float32"]
        self.refused(1, "run", "directml.scatter_nd", "input=[1,2]:float32", *data[1:])
        clamped = json.loads(self.done("run", "directml.scatter_nd", "input=[1,2]:float32", *data[1:], "out_of_range=clamp", "--json"))
        self.assertEqual(clamped["values"], [1, 9])
        shape = json.loads(self.done("run", "tensorflow.scatter_nd", "indices=[[1],[3]]", "updates=[9,10]", "shape=[5]", "--json"))
        self.assertEqual(shape["values"], [0, 9, 0, 10, 0])
        alpha = json.loads(self.done("run", "pytorch.index_add", "input=[1,2]", "dim=-1", "index=[0]", "source=[5]", "alpha=-2", "--json"))
        self.assertEqual(alpha["values"], [-9, 2])
        largest = ["input=[1]:uint64", "dim=0", "index=[0]", "source=[1]:uint64", "alpha=18446744073709551615"]
        self.assertEqual(json.loads(self.done("run", "pytorch.index_add", *largest, "--json"))["values"], [0])
        flat = json.loads(self.done("run", "numpy.put_along_axis", "arr=[[1,2],[3,4]]", "indices=[3]", "values=9", "axis=none", "--json"))
        self.assertEqual(flat["values"], [[1, 2], [3, 9]])

    def test_wrong_ones(self):
        for words, part in (
            (["run"], "needs an operator"),
            (["run", "pytorch.nonsense"], 'pytorch has no operator "nonsense"; it has scatter, scatter_add'),
            (["run", "scatter_nd"], "there are tensorflow.scatter_nd"),
            (["run", "torch.scatter"], "there are pytorch.scatter"),
            (["run", "nonsense"], "strew list shows them all"),
            ([*self.CALL, "axis=0"], 'no argument "axis"; it has input, dim, index, src, reduce, include_self, threads'),
            ([*self.CALL, "dim=1"], "given twice"),
            ([*self.CALL, "threads=1", "threads=2"], "given twice"),
            ([*self.CALL, "x.npy"], '"x.npy" has no name'),
            (self.CALL[:-1], 'needs the argument "reduce"'),
            ([*self.CALL[:-1], "reduce="], None),
            ([*self.CALL, "include_self=maybe"], "must be true or false, got maybe"),
            ([*self.CALL, "threads=0"], "must be at least 1"),
            ([*self.CALL, "threads="], "threads: the value is empty"),
            (["run", "pytorch.gather", "input=[1]", "dim=", "index=[0]"], "dim: the value is empty"),
            (["run", "pytorch.gather", "input=[1]", "dim=zero", "index=[0]"], "dim: must be an integer, got zero"),
            (["run", "pytorch.gather", "input=[1]", "dim=0.5", "index=[0]"], "dim: must be an integer"),
            (["run", "pytorch.index_add", "input=[1]", "dim=0", "index=[0]", "source=[1]", "alpha=x"], "alpha: must be a number"),
            (["run", "paddle.scatter_nd", "index=[[0]]", "updates=[1]", "shape=3"], "shape: must be a list of sizes"),
            (["run", "numpy.put_along_axis", "arr=[1]", "indices=[0]", "values=1"], 'needs the argument "axis"'),
        ):
            with self.subTest(words):
                message = self.refused(1 if part is None else 2, *words)
                self.assertIn(part or "reduce", message)

    def test_the_operator_refuses(self):
        message = self.refused(1, "run", "pytorch.scatter_add", "input=[1,2]", "dim=0", "index=[0,5,9]", "src=[1,2,3]")
        self.assertEqual(message, "pytorch.scatter_add: index 5 is out of bounds for dimension 0 with size 2 (index[1] = 5 for axis 0 of size 2, "
                                  "valid: 0..1; 1 more)")
        self.assertIn("reduce", self.refused(1, *self.CALL[:-1], "reduce=nonsense"))


class Results(InFolder):
    def printed(self, data):
        np.save("x.npy", data)
        return self.done("run", "numpy.add_at", "a=x.npy", "indices=...", "b=0" if np.asarray(data).dtype.kind != "U" else 'b=""')

    def test_small_ones_are_whole(self):
        self.assertEqual(self.printed(np.array([1.5, np.nan, -np.inf, 1e20, -0.0], "f4")), "float32, shape [5]\n[1.5, NaN, -inf, 1e+20, 0.0]\n")
        self.assertEqual(self.printed(np.array([[1, 2], [3, 4]])), "int64, shape [2, 2]\n[[1, 2],\n [3, 4]]\n")
        self.assertEqual(self.printed(np.array(7)), "int64, shape []\n7\n")
        self.assertEqual(self.printed(np.zeros((2, 0))), "float64, shape [2, 0]\n[]\n")
        self.assertEqual(self.printed(np.array([1 - 2j])), "complex128, shape [1]\n[1-2j]\n")
        self.assertEqual(self.printed(np.array(["a\n", "\x1b"])), 'string, shape [2]\n["a\\u000a", "\\u001b"]\n')

    def test_no_string_controls_the_terminal(self):
        hostile = ["\x7f", "\x9b31m", "\u061c", "\u200e", "\u2028", "\u202e", "\u2066", "\u2069"]
        text = self.printed(np.array([*hostile, "\xa0", "ü"]))
        self.assertEqual(text, 'string, shape [10]\n["\\u007f", "\\u009b31m", "\\u061c", "\\u200e", "\\u2028", "\\u202e", "\\u2066", "\\u2069", "\xa0", "ü"]\n')
        np.save("x.npy", np.array(hostile))
        self.assertEqual(json.loads(self.done("run", "numpy.add_at", "a=x.npy", "indices=...", 'b=""', "--json"))["values"], hostile)
        compared = self.done("compare", "onnx.scatter_elements", "data=x.npy", "indices=[0]", 'updates=["\x9b"]')
        self.assertEqual([c for c in compared if not c.isprintable() and c not in "\n"], [])

    def test_words_in_messages(self):
        for word, part in (("\x9b31m", "\\u009b31m"), ("\u202eabc", "\\u202eabc"), ("grün", "grün"), ("\x1b[31m", "\\x1b[31m")):
            self.assertIn(part, self.refused(1, *Arguments.CALL[:-1], f"reduce={word}"))
            self.assertIn(part, self.refused(2, "run", word))
            self.assertIn(part, self.refused(2, "run", "pytorch.gather", f"input={word}.npy", "dim=0", "index=[0]"))
            self.assertIn(part, self.refused(2, "run", f"--{word}"))

    def test_large_ones_are_cut(self):
        self.assertEqual(self.printed(np.arange(1000)), "int64, shape [1000]\n[0, 1, 2, ..., 997, 998, 999]\n")
        rows = self.printed(np.arange(40000).reshape(200, 200)).splitlines()
        self.assertEqual(rows[1], "[[0, 1, 2, ..., 197, 198, 199],")
        self.assertEqual((rows[4], rows[-1], len(rows)), (" ...,", " [39800, 39801, 39802, ..., 39997, 39998, 39999]]", 8))
        self.assertLess(len(self.printed(np.zeros((2,) * 20))), 10000)
        self.assertLess(len(self.printed(np.zeros((1000, 1, 1000)))), 1000)

    def test_json(self):
        answer = json.loads(self.done("run", "numpy.add_at", "a=[[1,2],[3,4]]:float32", "indices=0", "b=0.5", "--json"))
        self.assertEqual(answer, {"operator": "numpy.add_at", "dtype": "float32", "shape": [2, 2], "values": [[1.5, 2.5], [3, 4]]})

    def test_the_sign_of_zero_in_json(self):
        text = self.done("run", "strew.scatter", "out=[0.0,1.0]", "index=[0]", "values=[-0.0]", "--json")
        self.assertIn('"values": [-0.0,1]', text)
        self.assertEqual(math.copysign(1, json.loads(text)["values"][0]), -1)
        self.assertIn("[-0.0,-0.0]", self.done("run", "strew.scatter", "out=[0j]", "index=[0]", "values=[-0.0-0.0j]", "--json"))

    def error(self, code, *words):
        result = subprocess.run([STREW, *words, "--json"], capture_output=True, text=True)
        self.assertEqual(result.returncode, code)
        error = json.loads(result.stdout)["error"]
        self.assertEqual(result.stderr, f"strew: {error['message']}\n")
        return error

    def test_errors_as_json(self):
        error = self.error(1, "run", "pytorch.gather", "input=[1]", "dim=0", "index=[0,3]")
        self.assertEqual((error["code"], error["bad_index"]), ("index", {"value": 3, "position": [1], "axis": 0, "extent": 1, "count": 1}))
        self.assertEqual(self.error(2, "run", "pytorch.gather", "input=none.npy", "dim=0", "index=[0]")["code"], "usage")
        self.assertEqual(self.error(2, "run", "nonsense")["code"], "usage")
        self.assertEqual(self.error(2, "nonsense")["code"], "usage")

    def test_explain_writes_nothing(self):
        np.save("x.npy", np.zeros(5))
        text = self.done("explain", "numpy.add_at", "a=x.npy", "indices=[1]", "b=1")
        self.assertIn("strategy: ", text)
        self.assertEqual(json.loads(self.done("explain", "numpy.add_at", "a=x.npy", "indices=[1]", "b=1", "--json"))["explanation"], text)
        self.assertEqual(np.load("x.npy").tolist(), [0] * 5)
        self.refused(1, "explain", "numpy.add_at", "a=x.npy", "indices=[9]", "b=1")


if __name__ == "__main__":
    unittest.main()

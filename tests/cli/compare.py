"""strew compare and strew draw."""
import json
import shutil
import subprocess
import unittest
import xml.dom.minidom
from pathlib import Path

import numpy as np

from support import InFolder

# A negative index: only some dialects accept it.
NEGATIVE = ["data=[1,2,3]:float32", "indices=[-1]", "updates=[9]:float32", "axis=0"]
ACCEPT = {"paddle", "onnx", "directml", "numpy"}


class Compare(InFolder):
    def answers(self, *words):
        answer = json.loads(self.done("compare", *words, "--json"))
        return answer, {row["dialect"]: row for row in answer["answers"]}

    def test_who_accepts_a_negative_index(self):
        answer, rows = self.answers(*NEGATIVE)
        self.assertFalse(answer["agree"])
        self.assertEqual({name for name, row in rows.items() if row.get("values") == [1, 2, 9]}, ACCEPT)
        for name in set(rows) - ACCEPT:
            self.assertEqual(rows[name]["error"]["code"], "index")
            self.assertEqual(rows[name]["error"]["bad_index"]["value"], -1)

    def test_the_sentence_comes_first(self):
        text = self.done("compare", *NEGATIVE).splitlines()
        self.assertIn("disagree", text[0])
        for name in ACCEPT:
            self.assertIn(name, text[0])
        self.assertIn("paddle      put_along_axis", "\n".join(text))
        self.assertIn("They agree", self.done("compare", "data=[1,2,3]:float32", "indices=[1]", "updates=[9]:float32", "axis=0").splitlines()[0])

    def test_nan(self):
        _, rows = self.answers("data=[nan]:float32", "indices=[0]", "updates=[1]:float32", "axis=0", "reduction=max")
        said = {name: row["values"] for name, row in rows.items() if "values" in row}
        self.assertEqual((said["pytorch"], said["onnx"], said["numpy"]), (["NaN"], [1], ["NaN"]))
        self.assertIn("reason", rows["directml"])  # it only replaces

    def test_lenient(self):
        _, rows = self.answers("data=[1,2,3]:float32", "indices=[[7]]", "updates=[9]:float32", "lenient=true")
        self.assertEqual((rows["tensorflow"]["values"], rows["directml"]["values"]), ([1, 2, 3], [1, 2, 9]))
        self.assertIn("reason", rows["onnx"])

    def test_an_answer_of_ones_own(self):
        np.save("y.npy", np.array([1, 2, 9], "f4"))
        self.assertRegex(self.done("compare", *NEGATIVE, "mine=y.npy"), "^Yours agrees with .*onnx")
        np.save("y.npy", np.array([1, 7, 9], "f4"))
        self.assertRegex(self.done("compare", *NEGATIVE, "mine=y.npy"), r"^Yours agrees with none\..* It differs from paddle, .* at \[1\]\.")

    def test_the_question_of_a_call(self):
        call = ["pytorch.scatter_add", "input=[1,2,3]:float32", "dim=0", "index=[-1]", "src=[9]:float32"]
        self.assertEqual(self.answers(*call)[1].keys(), self.answers(*NEGATIVE, "reduction=add")[1].keys())
        for (sentence, mine), (_, theirs) in [(self.answers(*call), self.answers(*NEGATIVE, "reduction=add"))]:
            self.assertEqual(mine, theirs)
            self.assertFalse(sentence["agree"])
        self.assertIn("no other dialect", self.refused(2, "compare", "pytorch.gather", "input=[1]", "dim=0", "index=[0]"))

    def test_the_own_answer_is_the_call(self):
        call = ["numpy.put_along_axis", "arr=[[1,2,3],[4,5,6]]", "indices=[[1],[0]]", "values=[[8],[3]]", "axis=0"]
        _, rows = self.answers(*call)
        result = json.loads(self.done("run", *call, "--json"))["values"]
        self.assertEqual(result, [[3, 3, 3], [8, 8, 8]])
        self.assertEqual({name for name, row in rows.items() if row.get("values") == result} >= {"numpy", "pytorch", "onnx"}, True)
        answer, rows = self.answers("pytorch.index_add", "input=[[2,4]]", "dim=1", "index=[[1,1]]", "source=[[0,6]]")
        self.assertEqual((rows["pytorch"]["error"]["code"], rows["onnx"]["reason"]), ("shape", "not asked: the index is not a vector"))
        self.assertIn("onnx                   not asked: the index is not a vector\n",
                      self.done("compare", "pytorch.index_add", "input=[[2,4]]", "dim=1", "index=[[1,1]]", "source=[[0,6]]"))
        _, rows = self.answers("tensorflow.scatter_nd", "indices=[[1]]:int16", "updates=[9]", "shape=[3]")
        self.assertEqual((rows["tensorflow"]["operator"], rows["tensorflow"]["values"]), ("tensorflow.scatter_nd", [0, 9, 0]))

    def test_a_number_stands_for_every_update(self):
        answer, rows = self.answers("pytorch.scatter", "input=[1,2,3]:float32", "dim=0", "index=[0,2]", "src=5")
        self.assertTrue(answer["agree"])
        self.assertEqual({tuple(row["values"]) for row in rows.values()}, {(5, 2, 5)})
        _, rows = self.answers("numpy.add_at", "a=[0,0,0]", "indices=[2,0,2]", "b=1")
        self.assertEqual([rows[name]["values"] for name in ("tensorflow", "pytorch", "paddle", "onnx", "numpy", "strew")], [[1, 0, 2]] * 6)

    def test_an_answer_of_ones_own_to_a_call(self):
        call = ["pytorch.scatter_add", "input=[1,2,3]", "dim=0", "index=[0]", "src=[9]"]
        self.assertTrue(self.done("compare", *call, "mine=[10,2,3]").startswith("Yours agrees with tensorflow, pytorch, "))
        self.assertRegex(self.done("compare", *call, "mine=[1,2,3]"), r"^Yours agrees with none\. It differs from .* at \[0\]\.")

    def test_wrong_questions(self):
        self.assertIn("reduction", self.refused(1, "compare", *NEGATIVE, "reduction=nonsense"))
        self.assertIn("axis", self.refused(1, "compare", *NEGATIVE[:3], "axis=5"))
        self.assertIn('needs the argument "updates"', self.refused(2, "compare", *NEGATIVE[:2]))
        self.assertIn('no argument "dim"', self.refused(2, "compare", *NEGATIVE, "dim=0"))


class Draw(InFolder):
    CALL = ["draw", "pytorch.scatter_add", "input=[10,20,30,40]", "dim=0", "src=[5,6,7]"]

    def texts(self, svg):
        return [node.firstChild.nodeValue for node in xml.dom.minidom.parseString(svg).getElementsByTagName("text") if node.firstChild]

    def test_a_file_and_standard_output(self):
        svg = self.done(*self.CALL, "index=[1,3,1]")
        self.assertTrue({"10", "32", "30", "46", "5", "6", "7"} <= set(self.texts(svg)), self.texts(svg))
        out = self.done(*self.CALL, "index=[1,3,1]", "-o", "picture.svg")
        self.assertRegex(out, r"^picture\.svg: SVG, \d+ bytes\n$")
        self.assertEqual(Path("picture.svg").read_text(), svg)
        self.assertIn("exists", self.refused(2, *self.CALL, "index=[1,3,1]", "-o", "picture.svg"))
        self.assertEqual(self.done(*self.CALL, "index=[1,3,1]", "-o", "picture.svg", "-f", "-q"), "")

    def test_json(self):
        svg = self.done(*self.CALL, "index=[1,3,1]")
        self.assertEqual(json.loads(self.done(*self.CALL, "index=[1,3,1]", "--json")), {"operator": "pytorch.scatter_add", "picture": svg})
        self.assertEqual(json.loads(self.done(*self.CALL, "index=[1,3,1]", "--json", "-o", "y.svg")),
                         {"operator": "pytorch.scatter_add", "output": "y.svg", "bytes": len(svg.encode())})

    def test_a_bad_index_is_drawn(self):
        svg = self.done(*self.CALL, "index=[1,9,1]")
        self.assertIn("index 9 is out of bounds", svg)
        self.assertIn("src", self.refused(1, *self.CALL[:-1], "src=[1]:int8", "index=[1,3,1]"))

    def test_an_operator_that_works_in_place_changes_nothing(self):
        np.save("x.npy", np.zeros(3))
        self.done("draw", "numpy.add_at", "a=x.npy", "indices=[1]", "b=1")
        self.assertEqual(np.load("x.npy").tolist(), [0, 0, 0])

    @unittest.skipUnless(shutil.which("xmllint"), "xmllint is not installed")
    def test_any_string_is_well_formed(self):
        np.save("x.npy", np.array(["<&]]>", "\x01\x0b", "\"'", "\uffff"]))
        svg = self.done("draw", "onnx.scatter_elements", "data=x.npy", "indices=[1]", 'updates=["</svg>"]')
        checked = subprocess.run(["xmllint", "--noout", "-"], input=svg, capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()

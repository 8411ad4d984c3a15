"""The commands in the documents work, and print what stands below them."""
import shlex
import unittest

import numpy as np

from support import DOCS, InFolder

DOCUMENTS = [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]


def commands(text):
    """Each line `$ strew ...` of a console block, and the lines of output below it, of which the last may be left out."""
    for block in text.split("```console\n")[1:]:
        command, output = None, []
        for line in [*block.split("```")[0].splitlines(), "$ end"]:
            if line.startswith("$ "):
                if command is not None and command[0] == "strew":
                    yield command[1:], output
                command, output = shlex.split(line[2:], comments=True), []
            else:
                output.append(line)


class Documents(InFolder):
    def test_commands(self):
        count = 0
        for document in DOCUMENTS:
            for words, output in commands(document.read_text()):
                if "NAME=VALUE" in words:
                    continue
                for name, array in (("x", np.zeros(4)), ("i", np.array([1, 3, 1])), ("s", np.ones(3)), ("u", np.ones(3))):
                    np.save(f"{name}.npy", array)
                with self.subTest(document=document.name, words=words):
                    printed = self.done(*words, *([] if "--force" in words or "-o" not in words else ["-f"])).splitlines()
                    self.assertEqual(printed[:len(output)], output)
                count += 1
        self.assertGreater(count, 12)


if __name__ == "__main__":
    unittest.main()

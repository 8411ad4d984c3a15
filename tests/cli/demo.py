"""strew demo: the documents' examples, and the table of disagreements that docs/disagreements.md shows."""
import unittest

from support import DOCS, strew


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_of_it = strew("demo")
        cls.lines = cls.run_of_it.stdout.splitlines()

    def test_every_example_is_as_documented(self):
        self.assertEqual(self.run_of_it.returncode, 0, self.run_of_it.stderr)
        self.assertIn("All 18 examples are as documented.", self.lines)
        self.assertEqual(sum(line.strip().startswith("as documented") for line in self.lines), 18)

    def test_the_table_is_the_one_in_the_document(self):
        block = next(b for b in (DOCS / "disagreements.md").read_text().split("```console\n")[1:] if "tensorflow    pytorch" in b).split("```")[0]
        table = [line.rstrip() for line in block.strip("\n").splitlines()]
        printed = [line.rstrip() for line in self.lines]
        begin = printed.index(table[0])
        self.assertEqual(printed[begin:begin + len(table)], table)

    def test_it_fits_100_columns_without_colour(self):
        self.assertEqual([line for line in self.lines if len(line) > 100], [])
        self.assertNotIn("\x1b", self.run_of_it.stdout)


if __name__ == "__main__":
    unittest.main()

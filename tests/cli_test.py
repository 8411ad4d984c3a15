"""Runs the strew command as a user does: tests/cli_test.py STREW README.md"""
import pathlib
import subprocess
import sys
import unittest

STREW, README = sys.argv[1], pathlib.Path(sys.argv[2]).read_text()


def strew(*arguments):
    return subprocess.run([STREW, *arguments], capture_output=True, text=True, timeout=60)


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_of_it = strew("demo")
        cls.lines = cls.run_of_it.stdout.splitlines()

    def test_every_example_is_as_documented(self):
        self.assertEqual(self.run_of_it.returncode, 0, self.run_of_it.stderr)
        self.assertIn("All 18 examples are as documented.", self.lines)
        self.assertEqual(sum(line.strip().startswith("as documented") for line in self.lines), 18)

    def test_the_table_is_the_one_in_the_readme(self):
        block = next(b for b in README.split("```console\n")[1:] if "tensorflow    pytorch" in b).split("```")[0]
        table = [line.rstrip() for line in block.strip("\n").splitlines()]
        printed = [line.rstrip() for line in self.lines]
        begin = printed.index(table[0])
        self.assertEqual(printed[begin:begin + len(table)], table)

    def test_it_fits_100_columns_without_colour(self):
        self.assertEqual([line for line in self.lines if len(line) > 100], [])
        self.assertNotIn("\x1b", self.run_of_it.stdout)


class Command(unittest.TestCase):
    def test_help_leads_with_examples(self):
        result = strew("--help")
        self.assertEqual(result.returncode, 0)
        self.assertLess(result.stdout.index("strew demo"), result.stdout.lower().index("options"))

    def test_list_shows_a_dialect(self):
        result = strew("list", "pytorch")
        self.assertEqual(result.returncode, 0)
        for word in ("scatter_reduce", "include_self", "bfloat16", '"add" "multiply"', '"sum" "prod" "mean" "amax" "amin"'):
            self.assertIn(word, result.stdout)
        self.assertNotIn("tensor_scatter_nd_update", result.stdout)

    def test_list_fits_100_columns_without_colour(self):
        result = strew("list")
        self.assertEqual([line for line in result.stdout.splitlines() if len(line) > 100 or line != line.rstrip()], [])
        self.assertNotIn("\x1b", result.stdout)
        # Nothing is lost where a line is broken.
        words = " ".join(result.stdout.split())
        self.assertIn("float64 complex64 complex128 string", words)
        self.assertIn("an array or a number, where indices point along axis; reduce combines them with what is there.", words)
        self.assertIn('feature_level="3_0", out_of_range="error")', words)

    def test_unknown_words_are_told(self):
        for arguments in (["nonsense"], ["list", "nosuch"]):
            result = strew(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f'"{arguments[-1]}"', result.stderr)
            self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

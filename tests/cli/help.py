"""The help, the list of operators, the manual page and the completions."""
import json
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from support import STREW, strew

COMMANDS = re.findall(r"^  (\w+) ", strew("--help").stdout.split("Commands")[1].split("\n\n")[0], re.M)


class Help(unittest.TestCase):
    def test_help_leads_with_examples(self):
        for arguments in ([], ["--help"], ["-h"], ["help"]):
            result = strew(*arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertLess(result.stdout.index("strew demo"), result.stdout.lower().index("options"))
            self.assertEqual([line for line in result.stdout.splitlines() if len(line) > 100], [])

    def test_each_command_has_help(self):
        self.assertIn("run", COMMANDS)
        for command in COMMANDS:
            for flag in ("--help", "-h"):
                result = strew(command, flag)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertIn(f"strew {command}", result.stdout)
                self.assertIn("--help", result.stdout)
                self.assertEqual([line for line in result.stdout.splitlines() if len(line) > 100], [])

    def test_page(self):
        result = strew("page")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("./strew page in the source tree builds it", result.stderr)
        with tempfile.TemporaryDirectory() as prefix:
            program, installed = pathlib.Path(prefix, "bin", "strew"), pathlib.Path(prefix, "share", "strew", "strew.html")
            for path in (program, installed):
                path.parent.mkdir(parents=True)
            shutil.copy(STREW, program)
            installed.write_text("<html>")
            found = subprocess.run([program, "page"], capture_output=True, text=True)
            self.assertEqual((found.returncode, found.stdout), (0, f"{installed}\n"))

    def test_version(self):
        self.assertRegex(strew("--version").stdout, r"^strew \d+\.\d+\.\d+\n$")

    def test_a_closed_output_is_an_error(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([STREW, "list"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual((result.returncode, result.stderr), (2, "strew: the output could not be written\n"))


class List(unittest.TestCase):
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

    def test_as_json(self):
        operators = {row["operator"]: row for row in json.loads(strew("list", "--json").stdout)}
        self.assertEqual(len(operators), len(re.findall(r"^      dtypes ", strew("list").stdout, re.M)))
        scatter = operators["pytorch.scatter_reduce"]
        self.assertEqual(scatter["in_place"], "scatter_reduce_")
        self.assertIn({"name": "include_self", "type": "boolean", "default": "true"}, scatter["parameters"])
        self.assertEqual(operators["numpy.add_at"]["in_place"], "always")
        self.assertEqual({row["operator"].split(".")[0] for row in json.loads(strew("list", "onnx", "--json").stdout)}, {"onnx"})

    def test_unknown_words_are_told(self):
        for arguments in (["nonsense"], ["list", "nosuch"], ["demo", "more"], ["completions", "csh"]):
            result = strew(*arguments)
            self.assertEqual(result.returncode, 2)
            if arguments[0] != "completions":
                self.assertIn(f'"{arguments[-1]}"', result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1)
            self.assertEqual(result.stdout, "")
        self.assertEqual(strew("run", "--nonsense").returncode, 2)


class Manual(unittest.TestCase):
    def test_names_every_command_and_option(self):
        page = strew("man").stdout
        plain = page.replace("\\-", "-")
        for command in COMMANDS:
            self.assertIn(f".SS strew {command}", plain)
            for flag in re.findall(r"--\w+", strew(command, "--help").stdout):
                if flag != "--help":
                    self.assertIn(flag, plain)

    def test_words_are_not_broken(self):
        self.assertRegex(strew("man").stdout, r"(?s)^\.TH .*\n\.ad l\n\.nh\n\.SH NAME")

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_man_finds_nothing_wrong(self):
        checked = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "-"], input=strew("man").stdout, capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))


class Completions(unittest.TestCase):
    def candidates(self, *words):
        return strew("__complete", *words).stdout.splitlines()

    def test_commands_and_operators(self):
        self.assertEqual(self.candidates("ru"), ["run"])
        self.assertEqual(self.candidates("list", "on"), ["onnx"])
        self.assertIn("pytorch.", self.candidates("run", ""))
        self.assertEqual(self.candidates("run", "pytorch.scatter_a"), ["pytorch.scatter_add", "pytorch.scatter_add_"])
        self.assertEqual(self.candidates("nonsense", ""), [])

    def test_arguments_that_are_missing(self):
        self.assertEqual(self.candidates("run", "pytorch.gather", ""), ["input=", "dim=", "index=", "threads="])
        self.assertEqual(self.candidates("explain", "-q", "pytorch.gather", "input=x.npy", ""), ["dim=", "index=", "threads="])
        self.assertEqual(self.candidates("run", "-o", "y.npy", "pytorch.gather", "d"), ["dim="])

    def test_compare(self):
        self.assertEqual(self.candidates("compare", "d"), ["directml.", "data="])
        self.assertEqual(self.candidates("compare", "pytorch.index_c"), ["pytorch.index_copy", "pytorch.index_copy_"])
        self.assertEqual(self.candidates("compare", "data=x.npy", "r"), ["reduction="])
        self.assertEqual(self.candidates("compare", "pytorch.scatter_add", "dim=0", ""), ["input=", "index=", "src=", "mine=", "threads="])

    def test_values(self):
        self.assertEqual(self.candidates("run", "onnx.scatter_nd", "reduction=m"), ["reduction=mul", "reduction=max", "reduction=min"])
        self.assertEqual(self.candidates("run", "pytorch.scatter_reduce", "include_self=f"), ["include_self=false"])
        self.assertEqual(self.candidates("run", "pytorch.gather", "input=x"), ["input=<file>"])
        self.assertEqual(self.candidates("run", "pytorch.gather", "-o", "x"), ["<file>"])
        self.assertIn("--force", self.candidates("run", "pytorch.gather", "-"))

    def completed(self, line):
        """What bash offers after this line."""
        script = f"""source <({STREW} completions bash); COMP_LINE={shlex.quote(line)}; COMP_POINT=${{#COMP_LINE}}; _strew; printf '%s\\n' "${{COMPREPLY[@]}}" """
        environment = {**os.environ, "PATH": f"{pathlib.Path(STREW).parent}:{os.environ['PATH']}"}
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, cwd=pathlib.Path(__file__).parent).stdout.split()

    def test_in_bash(self):
        self.assertEqual(self.completed("strew ru"), ["run"])
        self.assertEqual(self.completed("strew run onnx.scatter_nd reduction=m"), ["mul", "max", "min"])
        self.assertEqual(self.completed("strew run pytorch.gather input=supp"), ["support.py"])

    def environment(self):
        return {**os.environ, "PATH": f"{pathlib.Path(STREW).parent}:{os.environ['PATH']}", "TERM": "dumb"}

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_in_fish(self):
        with tempfile.TemporaryDirectory() as home:
            def completed(line):
                script = f"strew completions fish | source; complete -C {shlex.quote(line)}"
                environment = {**self.environment(), "HOME": home, "XDG_CONFIG_HOME": home}
                result = subprocess.run(["fish", "-c", script], capture_output=True, text=True, env=environment, cwd=pathlib.Path(__file__).parent)
                self.assertEqual(result.stderr, "")
                return {row.split("\t")[0] for row in result.stdout.splitlines()}

            self.assertEqual(completed("strew ru"), {"run"})
            self.assertEqual(completed("strew run onnx.scatter_nd reduction=m"), {"reduction=mul", "reduction=max", "reduction=min"})
            self.assertEqual(completed("strew run pytorch.gather input=supp"), {"input=support.py"})

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_in_zsh(self):
        for line, expected in (("ru", "run"), ("run pytorch.scatter_r", "run pytorch.scatter_reduce"), ("run onnx.scatter_nd reduction=ad", "run onnx.scatter_nd reduction=add"),
                               ("run pytorch.gather input=supp", "run pytorch.gather input=support.py")):
            with self.subTest(line), tempfile.TemporaryDirectory() as home:
                self.assertEqual(self.typed_in_zsh(f"strew {line}\t", home), f"strew {expected}")

    def typed_in_zsh(self, keys, home):
        """The command that an interactive shell runs after these keys."""
        shell, terminal = pty.fork()
        if shell == 0:
            os.chdir(pathlib.Path(__file__).parent)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**self.environment(), "HOME": home})
        try:
            commands = f"preexec() {{ print -r -- $1 >> {home}/run }}; autoload -U compinit; compinit -u -D; source <(strew completions zsh); PS1='rea''dy> '"
            os.write(terminal, f"{commands}\n".encode())
            self.read_until(terminal, b"ready> ")
            os.write(terminal, f"{keys}\n".encode())
            self.read_until(terminal, b"ready> ")
            return pathlib.Path(home, "run").read_text().strip()
        finally:
            os.kill(shell, signal.SIGKILL)
            os.waitpid(shell, 0)
            os.close(terminal)

    def read_until(self, terminal, end):
        seen, limit = b"", time.monotonic() + 30
        while end not in seen and time.monotonic() < limit:
            if select.select([terminal], [], [], 0.2)[0]:
                seen += os.read(terminal, 1 << 16)
        self.assertIn(end, seen)

    def test_scripts_are_valid(self):
        for shell, check in (("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])):
            if not shutil.which(shell):
                continue
            script = strew("completions", shell).stdout
            checked = subprocess.run([shell, *check], input=script, capture_output=True, text=True)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""), shell)


if __name__ == "__main__":
    unittest.main()

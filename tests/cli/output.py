"""Output files appear whole or not at all: whatever the command is interrupted by, the old file or the new one is there."""
import fcntl
import json
import os
import pty
import resource
import signal
import stat
import subprocess
import unittest
from pathlib import Path

import numpy as np

from support import STREW, InFolder

INTERRUPT = os.environ.get("STREW_INTERRUPT")  # the program of interrupt.cpp
RUN = ["run", "numpy.add_at", "a=x.npy", "indices=[1,1]", "b=5", "threads=1"]
ABANDONED = ".strew-0123456789abcdef.tmp"


class WithInput(InFolder):
    def setUp(self):
        super().setUp()
        np.save("x.npy", np.arange(4.0))
        self.result = [0.0, 11.0, 2.0, 3.0]

    def expect(self, name, values):
        self.assertEqual(np.load(name).tolist(), values)


class Rules(WithInput):
    def test_an_existing_file_is_kept(self):
        Path("y.npy").write_text("mine")
        self.assertIn("y.npy: exists; --force replaces it", self.refused(2, *RUN, "-o", "y.npy"))
        self.assertEqual(Path("y.npy").read_text(), "mine")
        self.done(*RUN, "-o", "y.npy", "--force")
        self.expect("y.npy", self.result)

    def test_an_input_can_be_replaced(self):
        self.assertIn("exists", self.refused(2, *RUN, "-o", "x.npy"))
        self.expect("x.npy", [0.0, 1.0, 2.0, 3.0])
        self.done(*RUN, "-f", "-o", "x.npy")
        self.expect("x.npy", self.result)
        self.done(*RUN, "-f", "-o", "./x.npy")
        self.expect("x.npy", [0.0, 21.0, 2.0, 3.0])

    def test_the_input_of_an_operator_that_works_in_place_is_kept(self):
        self.done(*RUN, "-o", "y.npy")
        self.expect("x.npy", [0.0, 1.0, 2.0, 3.0])
        self.done("run", "pytorch.scatter_add_", "input=x.npy", "dim=0", "index=[1,1]", "src=[5,5]", "-o", "z.npy")
        self.expect("x.npy", [0.0, 1.0, 2.0, 3.0])
        self.assertEqual(Path("z.npy").read_bytes(), Path("y.npy").read_bytes())
        self.done(*RUN)
        self.expect("x.npy", [0.0, 1.0, 2.0, 3.0])

    def test_what_is_no_file_is_refused(self):
        os.mkdir("folder")
        os.mkfifo("pipe")
        os.symlink("x.npy", "link")
        os.symlink("nowhere", "broken")
        for name, part in (("folder", "is a folder"), ("folder/", "is a folder"), (".", "is a folder"), ("/", "is a folder"), ("pipe", "a device or a pipe"),
                           ("/dev/null", "a device or a pipe"), ("/dev/stdout", "is a link"), ("link", "is a link"), ("broken", "is a link"),
                           ("none/y.npy", "there is no folder none"), ("x.npy/y.npy", "there is no folder"), ("y.npz", "must not end in .npz")):
            for force in ([], ["--force"]):
                with self.subTest(name=name):
                    self.assertIn(part, self.refused(2, *RUN, "-o", name, *force))
        self.expect("x.npy", [0.0, 1.0, 2.0, 3.0])
        self.assertEqual(self.names(), ["broken", "folder", "link", "pipe", "x.npy"])

    def test_names_that_are_no_names(self):
        for command, name, part in (("run", "", "-o: the name of the output is empty"), ("draw", "", "-o: the name of the output is empty"),
                                    ("run", "-", "-o -: standard output is not supported"), ("draw", "-", "-o -: standard output is not supported")):
            for flag in (["-o", name], ["--output", name]):
                with self.subTest(command=command, flag=flag):
                    self.assertIn(part, self.refused(2, command, *RUN[1:], *flag))
        self.assertEqual(self.names(), ["x.npy"])
        self.done(*RUN, "-o", "./-")
        self.assertEqual(self.names(), ["-", "x.npy"])

    def test_the_mode_of_the_file(self):
        os.umask(0o027)
        self.done(*RUN, "-o", "y.npy")
        self.assertEqual(stat.S_IMODE(os.stat("y.npy").st_mode), 0o640)
        os.chmod("y.npy", 0o604)
        self.done(*RUN, "-f", "-o", "y.npy")
        self.assertEqual(stat.S_IMODE(os.stat("y.npy").st_mode), 0o604)

    def test_another_name_of_the_old_file_keeps_it(self):
        os.link("x.npy", "other.npy")
        self.done(*RUN, "-f", "-o", "x.npy")
        self.expect("other.npy", [0.0, 1.0, 2.0, 3.0])

    def test_errors_leave_nothing(self):
        Path("y.npy").write_text("mine")
        for code, words in ((1, ["indices=[9]"]), (1, ["indices=[[0,1],[0,9]]"]), (2, ["indices=none.npy"]), (2, ["indices=[0"])):
            self.refused(code, "run", "numpy.add_at", "a=x.npy", *words, "b=5", "-o", "y.npy", "-f")
            self.refused(code, "run", "numpy.add_at", "a=x.npy", *words, "b=5", "-o", "z.npy")
        self.assertEqual(Path("y.npy").read_text(), "mine")
        self.assertEqual(self.names(), ["x.npy", "y.npy"])

    def test_a_file_size_limit_is_an_error(self):
        result = subprocess.run([STREW, *RUN, "-o", "y.npy"], capture_output=True, text=True,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual(result.returncode, 2, result)
        self.assertIn("no room for its 160 bytes", result.stderr)
        self.assertEqual(self.names(), ["x.npy"])

    def test_messages(self):
        self.assertEqual(self.done(*RUN, "-o", "y.npy"), "y.npy: float64, shape [4]\n")
        self.assertEqual(self.done(*RUN, "-f", "-o", "y.npy", "--quiet"), "")
        self.assertEqual(json.loads(self.done(*RUN, "-f", "-o", "y.npy", "--json")),
                         {"operator": "numpy.add_at", "output": "y.npy", "dtype": "float64", "shape": [4]})


class ClosedStreams(WithInput):
    def test_no_file_takes_their_place(self):
        command = " ".join(map(repr, [STREW, *RUN]))
        for closed in ("<&- >&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            with self.subTest(closed):
                result = subprocess.run(["bash", "-c", f"{command} -f -o y.npy {closed}"], capture_output=True, text=True)
                self.expect("y.npy", self.result)
                self.assertEqual(result.returncode, 2 if ">&-" in closed.replace("2>&-", "") else 0, result.stderr)
                self.assertEqual(self.names(), ["x.npy", "y.npy"])
                os.unlink("y.npy")


class Leftovers(WithInput):
    def test_those_of_killed_runs_are_removed(self):
        Path(ABANDONED).write_text("half of a result")
        self.done(*RUN, "-o", "y.npy")
        self.assertEqual(self.names(), ["x.npy", "y.npy"])

    def test_those_of_live_runs_stay(self):
        with open(ABANDONED, "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.done(*RUN, "-o", "y.npy")
            self.assertEqual(self.names(), [ABANDONED, "x.npy", "y.npy"])

    def test_other_files_stay(self):
        others = [".strew-1.tmp", ".strew-0123456789abcdeg.tmp", ".strew-0123456789abcdef.tmp.npy", "strew-0123456789abcdef.tmp"]
        for name in others:
            Path(name).write_text("mine")
        os.mkdir(ABANDONED)
        os.symlink("x.npy", ".strew-0123456789abcde0.tmp")
        os.mkfifo(".strew-0123456789abcde1.tmp")
        self.done(*RUN, "-o", "y.npy")
        self.assertEqual(self.names(), sorted([*others, ABANDONED, ".strew-0123456789abcde0.tmp", ".strew-0123456789abcde1.tmp", "x.npy", "y.npy"]))

    def test_many_runs_at_once(self):
        runs = [subprocess.Popen([STREW, *RUN, "-q", "-f", "-o", f"y{i % 3}.npy"]) for i in range(24)]
        self.assertEqual({run.wait() for run in runs}, {0})
        for i in range(3):
            self.expect(f"y{i}.npy", self.result)
        self.assertEqual(self.names(), ["x.npy", "y0.npy", "y1.npy", "y2.npy"])

    def test_only_one_of_many_runs_creates_a_file(self):
        runs = [subprocess.Popen([STREW, *RUN, "-q", "-o", "y.npy"], stderr=subprocess.DEVNULL) for _ in range(12)]
        self.assertEqual(sorted(run.wait() for run in runs), [0] + [2] * 11)
        self.expect("y.npy", self.result)


@unittest.skipUnless(INTERRUPT, "system calls cannot be intercepted on this machine")
class Interrupted(WithInput):
    on_disk = True

    def interrupted(self, how, call, *more):
        result = subprocess.run([INTERRUPT, how, str(call), STREW, *RUN, "-o", "y.npy", *more], capture_output=True, text=True, timeout=60)
        if result.returncode == 125:
            self.skipTest("system calls cannot be intercepted here: ptrace is not allowed")
        return result.returncode, *map(int, result.stdout.splitlines()[-1].split())

    def sweep(self, how):
        _, calls, creation = self.interrupted(how, 0)
        self.assertGreater(calls - creation, 10)
        self.assertGreater(creation, 40)
        new = Path("y.npy").read_bytes()
        old = b"what was here before"
        seen = set()
        # Before there is a temporary file, some of the calls are enough.
        for call in [*range(1, creation, 9), *range(creation, calls + 2)]:
            for before in (None, old):
                with self.subTest(call=call, before=before):
                    Path("y.npy").unlink(missing_ok=True)
                    if before is not None:
                        Path("y.npy").write_bytes(before)
                    code, *_ = self.interrupted(how, call, *(["-f"] if before else []))
                    now = Path("y.npy").read_bytes() if Path("y.npy").exists() else None
                    self.assertIn(now, (before, new))
                    if code == 0:
                        self.assertEqual(now, new)
                    seen.add((before, now))
                    self.leftovers(how, code)
        self.assertEqual(seen, {(None, None), (None, new), (old, old), (old, new)})

    def leftovers(self, how, code):
        left = [name for name in self.names() if name not in ("x.npy", "y.npy")]
        if how == "fail" and code < 128:
            self.assertEqual(left, [])
        if left:
            self.found_leftovers = True
            self.done("run", "numpy.add_at", "a=x.npy", "indices=[1,1]", "b=5", "-q", "-o", "other.npy")
            self.assertEqual([name for name in self.names() if name.startswith(".")], [])
            os.unlink("other.npy")

    def test_killed_at_every_system_call(self):
        self.found_leftovers = False
        self.sweep("kill")
        self.assertTrue(self.found_leftovers)  # some of the calls come while there is a temporary file

    def test_killed_while_two_threads_run(self):
        np.save("x.npy", np.zeros(200_000))
        np.save("i.npy", np.arange(200_000)[::-1].copy())
        call = ["run", "pytorch.scatter_add", "input=x.npy", "dim=0", "index=i.npy", "src=x.npy", "threads=2", "-o", "y.npy", "-f", "-q"]

        def interrupted(at):
            return subprocess.run([INTERRUPT, "kill", str(at), STREW, *call], capture_output=True, text=True, timeout=60)

        result = interrupted(0)
        if result.returncode == 125:
            self.skipTest("system calls cannot be intercepted here: ptrace is not allowed")
        calls, creation = map(int, result.stdout.split())
        new, old = Path("y.npy").read_bytes(), b"what was here before"
        # How many calls there are differs from run to run.
        for at in range(creation - 2, calls + 4, max(1, (calls - creation) // 30)):
            Path("y.npy").write_bytes(old)
            code = interrupted(at).returncode
            with self.subTest(call=at, code=code):
                self.assertIn(code, (0, 128 + signal.SIGKILL))
                self.assertIn(Path("y.npy").read_bytes(), (old, new) if code else (new,))
        self.done("run", "numpy.add_at", "a=x.npy", "indices=[1,1]", "b=5", "-q", "-o", "other.npy")
        self.assertEqual(self.names(), ["i.npy", "other.npy", "x.npy", "y.npy"])

    def test_every_system_call_fails(self):
        self.sweep("fail")


@unittest.skipUnless(INTERRUPT, "system calls cannot be intercepted on this machine")
class During(WithInput):
    """Something happens while there is a temporary file, which is not written yet."""

    FALLOCATE, MSYNC = 285, 26

    def during(self, call, shell, *more, **options):
        return subprocess.run([INTERRUPT, "during", str(call), shell, STREW, *RUN, "-o", "y.npy", *more], stdout=subprocess.PIPE, text=True,
                              **{"stderr": subprocess.PIPE, **options})

    def test_a_signal_removes_the_temporary_file(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            result = self.during(self.FALLOCATE, f"ls -A > names; kill -{number} $TRACED")
            self.assertEqual((result.returncode, result.stderr), (128 + number, ""))
            self.assertIn(".strew-", Path("names").read_text())
            self.assertEqual(self.names(), ["names", "x.npy"])

    def test_an_output_that_another_process_creates_is_kept(self):
        result = self.during(self.FALLOCATE, "echo mine > y.npy")
        self.assertEqual((result.returncode, result.stderr), (2, "strew: y.npy: exists; --force replaces it\n"))
        self.assertEqual((self.names(), Path("y.npy").read_text()), (["x.npy", "y.npy"], "mine\n"))

    def test_an_input_that_shrinks_is_an_error(self):
        np.save("x.npy", np.arange(10000.0))
        result = self.during(self.FALLOCATE, "truncate -s 5000 x.npy")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("x.npy: lost a part of its contents during the run", result.stderr)
        self.assertEqual(self.names(), ["x.npy"])

    def progress(self, *more):
        """What a run prints to a terminal if its output is written slowly, in three steps."""
        np.save("x.npy", np.zeros(5_000_000))
        ours, theirs = pty.openpty()
        result = self.during(self.MSYNC, "sleep 0.3", "-f", *more, stderr=theirs)
        os.close(theirs)
        self.assertEqual(result.returncode, 0)
        return self.read_all(ours)

    def read_all(self, terminal):
        text = b""
        try:
            while more := os.read(terminal, 1 << 16):
                text += more
        except OSError:  # the end
            pass
        os.close(terminal)
        return text.decode()

    def test_progress_while_the_operator_runs(self):
        np.save("x.npy", np.zeros((1, 1)))
        np.save("i.npy", np.zeros((20000, 1), "i8"))  # with the other one, 400 million indices
        np.save("j.npy", np.zeros((1, 20000), "i8"))
        ours, theirs = pty.openpty()
        call = ["run", "numpy.add_at", "a=x.npy", "indices=i.npy,j.npy", "b=1", "threads=1", "-o", "y.npy"]
        result = subprocess.Popen([STREW, *call], stdout=theirs, stderr=theirs)
        os.close(theirs)
        text = self.read_all(ours)
        self.assertEqual(result.wait(), 0)
        self.assertRegex(text, r"running numpy\.add_at on 320\.0 kB, \d+\.\d s")
        self.assertIn("\r\x1b[Ky.npy: float64", text)  # the result begins a line of its own

    def test_progress_on_a_terminal(self):
        text = self.progress()
        self.assertRegex(text, r"writing y\.npy: 33\.6 MB of 40\.0 MB, \d+\.\d s left")
        self.assertIn("writing y.npy: 40.0 MB of 40.0 MB", text)
        self.assertTrue(text.endswith("\r\x1b[K"), text)  # nothing of it stays
        self.assertEqual(self.progress("--quiet"), "")


if __name__ == "__main__":
    unittest.main()

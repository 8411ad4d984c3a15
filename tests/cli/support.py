"""Runs the strew command as a user does, in an empty folder. STREW is the path of the program."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

STREW = os.environ["STREW"]
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def strew(*arguments, **options):
    return subprocess.run([STREW, *map(str, arguments)], capture_output=True, text=True, timeout=60, **options)


class InFolder(unittest.TestCase):
    """A test that works in a folder of its own: in memory, because a disk takes milliseconds to sync each file, unless `on_disk` is set."""

    on_disk = False

    def setUp(self):
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) and not self.on_disk else None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="strew-test-", dir=memory))
        self.before = os.getcwd()
        os.chdir(self.folder)

    def tearDown(self):
        os.chdir(self.before)
        shutil.rmtree(self.folder)

    def names(self):
        """The files in the folder, hidden ones as well."""
        return sorted(os.listdir(self.folder))

    def done(self, *arguments):
        """Runs the command, which must succeed; returns its standard output."""
        result = strew(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def refused(self, code, *arguments):
        """Runs the command, which must fail with this exit code and one sentence; returns the sentence."""
        result = strew(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith("strew: "), lines[0])
        return lines[0].removeprefix("strew: ")

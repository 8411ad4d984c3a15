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


def memory_folder():
    """A folder in memory, where a file is synced at once; None if there is none with room for the tests."""
    folder = pathlib.Path("/dev/shm")
    if not os.access(folder, os.W_OK):
        return None
    space = os.statvfs(folder)
    return folder if space.f_bavail * space.f_frsize > 2 << 30 else None


class InFolder(unittest.TestCase):
    """A test that works in a folder of its own: in memory, unless `on_disk` is set."""

    on_disk = False

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="strew-test-", dir=None if self.on_disk else memory_folder()))
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

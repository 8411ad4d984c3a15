"""A framework in an environment and a process of its own."""
import json
import os
import select
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
HOME = os.path.join(ROOT, "build", "live")

# The versions that the recordings in tests/golden are of.
PACKAGES = {
    "tensorflow": ["tensorflow-cpu==2.21.0"],
    "pytorch": ["torch==2.13.0", "numpy"],
    "paddle": ["paddlepaddle==3.3.1"],
    "onnx": ["onnx==1.23.2", "onnxruntime==1.31.1"],
}
SECONDS_PER_CASE = 60


def python_of(name):
    return os.path.join(HOME, name, "bin", "python")


def install(name):
    """Makes the environment; one that already holds these packages is kept."""
    wanted = "\n".join(PACKAGES[name]) + "\n"
    stamp = os.path.join(HOME, name, "installed.txt")
    if os.path.exists(stamp) and open(stamp, encoding="utf-8").read() == wanted:
        return
    print("%s: installing %s" % (name, ", ".join(PACKAGES[name])), flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", os.path.join(HOME, name)], check=True)
    subprocess.run([python_of(name), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"] + PACKAGES[name], check=True)
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(wanted)


class Framework:
    """Answers cases one by one. A process that dies or hangs is an answer too, and is started again."""

    def __init__(self, name):
        self.name, self.process, self.versions = name, None, None
        self.log = open(os.path.join(HOME, name + ".log"), "w", encoding="utf-8")

    def start(self):
        self.process = subprocess.Popen([python_of(self.name), os.path.join(HERE, "worker.py"), self.name], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log, encoding="utf-8")
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("%s does not start: see %s" % (self.name, self.log.name))
        self.versions = json.loads(line)["versions"]

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def answer(self, line):
        """What the framework says to a case, given as a line of JSON."""
        if self.process is None:
            self.start()
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        ready, _, _ = select.select([self.process.stdout], [], [], SECONDS_PER_CASE)
        text = self.process.stdout.readline() if ready else ""
        if text:
            return json.loads(text)
        self.stop()
        return {"crash": "no answer in %d s" % SECONDS_PER_CASE if not ready else "the process ended"}

"""Random cases, answered by Strew and by the real framework: the bits must be equal, and so must error or no error. See README.md."""
import argparse
import json
import os
import subprocess
import sys
import time

from compare import FAILURE, verdict
from framework import HOME, PACKAGES, ROOT, Framework, install
from report import Report
from rules import unknown_headings

PROGRAM = os.path.join(ROOT, "build", "test-release", "tests", "strew_cases")
DIFFERENCES = os.path.join(ROOT, "docs", "differences.md")


def lines_of(*command):
    """What a command prints, line by line, while it runs."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8") as process:
        yield from process.stdout
    if process.returncode != 0:
        raise RuntimeError("failed: %s" % " ".join(command))


def generated(program, count, seed, name):
    return lines_of(program, "generate", "--count", str(count), "--seed", str(seed), "--op", name)


def replayed(program, file, name):
    """The cases of a file that are for one framework."""
    return (line for line in lines_of(program, "run", file) if json.loads(line)["system"] == name)


def run_framework(name, lines, report):
    framework = Framework(name)
    done, start = 0, time.monotonic()
    try:
        for line in lines:
            case = json.loads(line)
            found, answer = verdict(case, lambda: framework.answer(line))
            report.add(case, found, answer)
            done += 1
            if done % 5000 == 0:
                print("  %s: %d cases, %d s, %d failed" % (name, done, time.monotonic() - start, report.total(FAILURE)), flush=True)
    finally:
        framework.stop()
    report.versions.update(framework.versions or {})
    print("  %s: %d cases, %d s" % (name, done, time.monotonic() - start), flush=True)


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="%s, or an operator: pytorch.scatter_ (all)" % ", ".join(PACKAGES))
    parser.add_argument("--cases", default=PROGRAM, help="the program strew_cases (that of the release build)")
    parser.add_argument("--count", type=int, default=2000, help="cases for each operator (2000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--replay", metavar="FILE", help="the cases of this file instead of random ones")
    parser.add_argument("--write", metavar="PAGE", help="put the summary into a page, behind its last heading")
    return parser.parse_args(arguments)


def main():
    options = options_of(sys.argv[1:])
    with open(DIFFERENCES, encoding="utf-8") as page:
        missing = unknown_headings(page.read())
    if missing:
        print("rules without a heading in docs/differences.md: %s" % ", ".join(missing))
        return 1
    report = Report()
    what = "the cases of %s" % options.replay if options.replay else "seed %d, %d cases for each operator" % (options.seed, options.count)
    print(what, flush=True)
    for name in options.names or PACKAGES:
        framework = name.split(".")[0]
        install(framework)
        lines = (replayed(options.cases, options.replay, framework) if options.replay
                 else generated(options.cases, options.count, options.seed, name))
        run_framework(framework, lines, report)
    report.print_failures(os.path.join(HOME, "failures.jsonl"))
    print("\n" + report.summary(what))
    if options.write:
        report.write(options.write, what)
    return 1 if report.total(FAILURE) or not report.counts else 0


if __name__ == "__main__":
    sys.exit(main())

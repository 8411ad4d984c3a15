"""Counts what the cases showed, and prints it."""
import collections
import json
import os

from compare import CRASH, FAILURE, KINDS

SHOWN = 5


class Report:
    """Counts for each operator and each rule, and the cases that failed."""

    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.rules = collections.Counter()
        self.failures = collections.defaultdict(list)
        self.versions = {}

    def add(self, case, found, answer):
        name = "%s.%s" % (case["system"], case["op"])
        self.counts[name][found.kind] += 1
        if found.rule:
            self.rules[case["system"], found.kind, found.rule] += 1
        if found.kind == FAILURE:
            self.failures[name].append(dict(case, framework=answer))
        elif found.kind == CRASH:
            print("  %s: %s" % (case["id"], found.rule), flush=True)

    def total(self, kind):
        return sum(counts[kind] for counts in self.counts.values())

    def print_failures(self, path):
        """A few of each operator, and all of them into a file."""
        with open(path, "w", encoding="utf-8") as file:
            for name, failures in self.failures.items():
                for case in failures[:SHOWN]:
                    print("\n%s\n  arguments %s\n  Strew     %s\n  framework %s" %
                          (case["id"], json.dumps(case["args"]), json.dumps(case["answer"]), json.dumps(case["framework"])))
                if len(failures) > SHOWN:
                    print("\n%s: %d more" % (name, len(failures) - SHOWN))
                file.writelines(json.dumps(case) + "\n" for case in failures)
        if self.failures:
            print("\nEvery failed case is in %s; --replay runs them again." % os.path.relpath(path))

    def summary(self, what):
        """In Markdown: the operators, and the rules by which an answer did not count."""
        kinds = [kind for kind in KINDS if self.total(kind)]
        lines = ["| operator | cases | " + " | ".join(kinds) + " |", "| --- |" + " ---: |" * (len(kinds) + 1)]
        for name, counts in self.counts.items():
            lines.append("| %s | %d | %s |" % (name, sum(counts.values()), " | ".join(str(counts[kind]) for kind in kinds)))
        lines += ["", "| framework | what | rule | cases |", "| --- | --- | --- | ---: |"]
        lines += ["| %s | %s | %s | %d |" % (*key, count) for key, count in sorted(self.rules.items())]
        failed, cases = self.total(FAILURE), sum(sum(counts.values()) for counts in self.counts.values())
        lines += ["", "%s, with %s: %d passed, %d failed." % (
            what.capitalize(), ", ".join("%s %s" % pair for pair in sorted(self.versions.items())), cases - failed, failed)]
        return "\n".join(lines)

    def write(self, path, what):
        """Replaces what stands behind the last heading of a page."""
        with open(path, encoding="utf-8") as file:
            text, mark, old = file.read().rpartition("\n## ")
        with open(path, "w", encoding="utf-8") as file:
            file.write("%s%s%s\n\n%s\n" % (text, mark, old.splitlines()[0], self.summary(what)))

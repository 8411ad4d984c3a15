"""Runs the suite: each workload, then the table. Started by `run`, in its environment."""
import fnmatch
import gc
import json
import os
import sys
import time

import options as command_line
from workloads import LARGE, WORKLOADS


def chosen(options):
    rows = WORKLOADS + (LARGE if options.large else [])
    if not options.only:
        return rows
    return [row for row in rows if any(fnmatch.fnmatchcase(text, pattern) for pattern in options.only for text in (row.name, row.family))]


def memcpy():
    """GB/s, read and written, of the best of several copies of 256 MB."""
    import numpy as np

    source, target, best = np.ones(2**25), np.zeros(2**25), 0
    for _ in range(10):
        start = time.perf_counter()
        np.copyto(target, source)
        best = max(best, 2 * source.nbytes / (time.perf_counter() - start) / 1e9)
    return best


def save(results, path):
    """After each workload, so that a run that is stopped leaves what it has."""
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


def run(rows, options):
    os.environ["KMP_BLOCKTIME"] = "1"  # ms that Paddle's threads spin; its default is longer than our pause
    os.environ["JAX_PLATFORMS"] = "cpu"
    import machine
    import peers
    import report
    from measure import measure

    everyone, hopeless = peers.all_peers(), set()
    results = {"machine": machine.describe(), "versions": machine.versions(everyone), "memcpy": memcpy(), "workloads": []}
    print(report.heading(results))
    for row in rows:
        results["workloads"].append(measure(row, everyone, options.seconds, hopeless))
        print(report.line(results["workloads"][-1], results["memcpy"]), flush=True)
        save(results, options.json)
        gc.collect()
    results["memcpy after"] = memcpy()
    save(results, options.json)
    print(report.ending(results))
    if options.write_docs:
        report.write(command_line.PAGE, results)
    return report.wrong_strew(results)


def main():
    options = command_line.parse()
    rows = chosen(options)
    if not rows:
        sys.exit(f"no workload matches {' or '.join(options.only)}; see bench/peers/run --list")
    if options.list:
        print("\n".join(f"{row.family:18}{row.name}" for row in rows))
        return
    wrong = run(rows, options)
    if wrong:
        sys.exit("strew is wrong: " + ", ".join(wrong))


if __name__ == "__main__":
    main()

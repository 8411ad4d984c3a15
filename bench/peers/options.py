"""The command line, and where things are. Needs nothing but Python."""
import argparse
import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
HOME = os.path.join(ROOT, "build", "peers")
PAGE = os.path.join(ROOT, "docs", "performance.md")

ABOUT = """\
  bench/peers/run                                 everything: about 15 minutes on two cores
  bench/peers/run --only 'rows*' --only 'W1*'     some workloads
  bench/peers/run --quick --only 'add 2^20'       a first look at one
  bench/peers/run --json build/peers/all.json     keep the figures; bench/peers/plot.py draws them
  bench/peers/run --write-docs                    put the table into docs/performance.md

Puts the real frameworks beside Strew: in one process, calls taking turns, answers compared with a plain serial loop. The first
time it fetches about 1 GB and compiles Strew; both stay in build/peers."""


def parse(arguments=None):
    parser = argparse.ArgumentParser(prog="bench/peers/run", usage=argparse.SUPPRESS, description=ABOUT,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="PATTERN", action="append", default=[],
                        help="workloads whose name or family matches, as in a shell")
    parser.add_argument("--list", action="store_true", help="print the workloads instead of running them")
    parser.add_argument("--quick", action="store_true", help="one second for each workload: good for a look, not for a claim")
    parser.add_argument("--seconds", type=float, default=4, help="how long the rounds of a workload go on (4)")
    parser.add_argument("--large", action="store_true", help="growth up to 2^28 updates, beside the peers that share NumPy's memory: needs 12 GB")
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    parser.add_argument("--write-docs", action="store_true", help="rewrite the measured table of docs/performance.md")
    options = parser.parse_args(arguments)
    if options.quick:
        options.seconds = 1
    return options

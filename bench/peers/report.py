"""The table: from the figures of a run to lines of text, and to docs/performance.md."""
import collections
import math
import re

from peers import OURS

TITLES = ("workload", "best correct peer", "peer", "C loop", "strew 1t", "strew 2t", "ratio", "goal", "bound", "C/1t")
WIDTHS = (27, 38, 9, 9, 9, 9, 14, 5, 6, 6)


def find(workload, peer, threads):
    wanted = (peer, threads, "right")
    return next((form for form in workload["forms"] if (form["peer"], form["threads"], form["answer"]) == wanted), None)


def best_peer(workload):
    right = [form for form in workload["forms"] if form["answer"] == "right" and form["peer"] not in OURS]
    return min(right, key=lambda form: form["median"], default=None)


def over(a, b, what="median"):
    return a[what] / b[what] if a and b else None


def summary(workload, memcpy):
    """The figures of a row. Ratios are times of the other over Strew's: above 1, Strew is ahead."""
    best, loop, one, two = best_peer(workload), find(workload, "C", 1), find(workload, "strew", 1), find(workload, "strew", 2)
    return {
        "best": best, "loop": loop, "one": one, "two": two, "goal": workload["goal"],
        "ratio": over(best, two), "ratio of minima": over(best, two, "minimum"),
        "share": workload["bytes"] / memcpy / two["median"] if two else None,
        "loop over one": over(loop, one),
    }


def number(value, form):
    return "-" if value is None else form.format(value)


def ratio_text(value):
    """Cut, not rounded: what is missed by little must not look reached."""
    return "-" if value is None else f"{math.floor(100 * value) / 100:.2f}"


def time_text(form):
    """ns, with three digits that count."""
    if form is None:
        return "-"
    return f"{form['median']:.0f}" if form["median"] >= 100 else f"{form['median']:.3g}"


def name_of(form):
    if form is None:
        return "-"
    threads = f", {form['threads']}t" if form["threads"] else ""
    return f"{form['peer']} {form['form']}{threads}"


def cells(workload, memcpy):
    row = summary(workload, memcpy)
    return (
        workload["name"] + (" (ns a call)" if workload["per"] == "call" else ""), name_of(row["best"]), time_text(row["best"]),
        time_text(row["loop"]), time_text(row["one"]), time_text(row["two"]),
        f"{ratio_text(row['ratio'])} ({ratio_text(row['ratio of minima'])})", number(row["goal"], "{:g}"), number(row["share"], "{:.0%}"),
        ratio_text(row["loop over one"]),
    )


def aligned(texts):
    return "".join(text.ljust(width) if at < 2 else text.rjust(width) for at, (text, width) in enumerate(zip(texts, WIDTHS)))


def about(results):
    machine, versions = results["machine"], results["versions"]
    return [
        f"{machine['processor']}, {machine['cores']} cores, {machine['caches']}, {machine['memory']}, huge pages {machine['huge pages']}; "
        f"{machine['system']}, {machine['compiler']}",
        ", ".join(f"{name} {version}" for name, version in versions.items()),
        f"memcpy {results['memcpy']:.1f} GB/s (read and written)" +
        (f", {results['memcpy after']:.1f} after the run" if "memcpy after" in results else ""),
    ]


def heading(results):
    return "\n".join(about(results)) + "\n\n" + aligned(TITLES)


def line(workload, memcpy):
    return aligned(cells(workload, memcpy))


def verdicts(results):
    """Which goals are reached, and how even the growth is."""
    rows = [(workload, summary(workload, results["memcpy"])) for workload in results["workloads"]]
    aimed = [(workload, row) for workload, row in rows if row["goal"] and row["ratio"]]
    missed = [f"{workload['name']} ({ratio_text(row['ratio'])} of {row['goal']:g})" for workload, row in aimed if row["ratio"] < row["goal"]]
    looped = [(workload["name"], row["loop over one"]) for workload, row in rows if row["loop over one"]]
    behind = [f"{name} ({ratio_text(ratio)})" for name, ratio in looped if ratio < 0.9]
    growth = [row["two"]["median"] for workload, row in rows if workload["family"] == "growth" and row["two"]]
    yield f"Goals reached: {len(aimed) - len(missed)} of {len(aimed)}." + (f" Missed: {', '.join(missed)}." if missed else "")
    yield "On one thread more than 10 % behind the plain loop: " + (", ".join(behind) or "none") + "."
    if len(growth) > 1:
        yield f"Growth: the slowest time per update is {max(growth) / min(growth):.2f} times the fastest."


def wrong_answers(results):
    """Forms that gave another answer than the serial loop, or raced and had luck, and in which workloads."""
    wrong = collections.defaultdict(list)
    for workload in results["workloads"]:
        for form in workload["forms"]:
            if form["answer"] != "right":
                wrong[name_of(form)].append(workload["name"] + (f" ({form['answer']})" if form["answer"] != "wrong" else ""))
    return wrong


def wrong_strew(results):
    return [name for form, names in wrong_answers(results).items() if form.startswith("strew ") for name in names]


def ending(results):
    wrong = [f"  {form}: {', '.join(names)}" for form, names in wrong_answers(results).items()]
    seconds = sum(workload["seconds"] for workload in results["workloads"])
    return "\n".join(["", *verdicts(results), "Wrong answers, which do not count:", *(wrong or ["  none"]), f"All in {seconds:.0f} s."])


def page(results):
    """The table as Markdown."""
    rows = [cells(workload, results["memcpy"]) for workload in results["workloads"]]
    table = ["| " + " | ".join(row) + " |" for row in (TITLES, ("---",) * 2 + ("---:",) * 8, *rows)]
    wrong = [f"- {form}: {', '.join(names)}" for form, names in wrong_answers(results).items()]
    wrong = "\n".join(wrong) or "none"
    return "\n\n".join([*about(results), "\n".join(table), *verdicts(results), "Wrong answers, which do not count:", wrong])


def write(path, results):
    """Replaces what stands between the two marks of the page."""
    begin, end = "<!-- measured: begin -->\n", "<!-- measured: end -->"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"{path} needs the marks {begin.strip()} and {end}, once each")
    text = re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: f"{begin}\n{page(results)}\n\n{end}", text, flags=re.DOTALL)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)

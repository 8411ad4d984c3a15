"""Checks the code that the page shows: C++ is compiled, Python that needs only NumPy and Strew is run."""
import json
import math
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)", re.IGNORECASE)

# Runs snippets one after another: [code] in, [[output, error]] out.
RUNNER = """
import contextlib, io, json, sys
answers = []
for code in json.load(sys.stdin):
    printed, error = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "snippet", "exec"), {})
    except Exception as problem:
        error = str(problem) or repr(problem)
    answers.append([printed.getvalue(), error])
json.dump(answers, sys.stdout)
"""


def check_cpp(snippets):
    """One compilation of all: each main becomes a function."""
    includes, bodies = set(), []
    for number, text in enumerate(snippets):
        lines = text.splitlines()
        includes |= {line for line in lines if line.startswith("#include")}
        body = "\n".join(line for line in lines if not line.startswith("#include"))
        if body.count("int main()") != 1:
            return [f"no main: {text}"]
        bodies.append(body.replace("int main()", f"void snippet_{number}()"))
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "snippets.cpp"
        source.write_text("\n".join([*sorted(includes), *bodies]))
        run = subprocess.run(["c++", "-std=c++20", "-fsyntax-only", f"-I{ROOT}/include", str(source)], capture_output=True, text=True, timeout=120)
    return [] if run.returncode == 0 else [f"C++ does not compile:\n{run.stderr[:3000]}"]


def numbers(text):
    return [float(number) for number in NUMBER.findall(text)]


def same(one, other):
    return len(one) == len(other) and all(a == b or math.isclose(a, b, rel_tol=1e-5) or (a != a and b != b) for a, b in zip(one, other))


def check_python(python, examples):
    """`examples`: what the page says of each, with its code. The printed result must be the page's, and so must an error."""
    tasks = []
    for title, one in examples.items():
        for language in ("python", "framework"):
            code = one["codes"].get(language, "")
            imports = set(re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE))
            if code and language == "framework":
                compile(code, title, "exec")
            if code and imports <= {"numpy", "strew"}:
                tasks.append((title, language, one, code))
    run = subprocess.run([python, "-c", RUNNER], input=json.dumps([code for *_, code in tasks]), capture_output=True, text=True, timeout=120)
    if run.returncode != 0:
        return [f"the examples' Python: {run.stderr[-3000:]}"]
    complaints = [] if len(tasks) >= len(examples) else [f"only {len(tasks)} programs"]
    for (title, language, one, code), (printed, error) in zip(tasks, json.loads(run.stdout), strict=True):
        refused = bool(one["error"])
        dialect = re.search(r"op=(\w+)\.", one["hash"])[1]
        cells = " ".join(next((cells for row, cells in zip(one["rows"], one["cells"]) if row[0].split()[0] == dialect), []))
        if refused != bool(error):
            complaints.append(f"{title}, {language}: {error or 'no error'}, not {one['error']!r}:\n{code}")
        elif refused and language == "python" and error != one["error"]:
            complaints.append(f"{title}: {error!r}, not {one['error']!r}")
        elif not refused and cells and "..." not in cells + printed and not same(numbers(printed), numbers(cells)):
            complaints.append(f"{title}, {language}: prints {printed!r}, not {cells!r}")
    return complaints

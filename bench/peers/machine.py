"""What it was measured on."""
import os
import platform
import subprocess


def first(path, prefix=""):
    """What follows the prefix in the first line that begins with it."""
    try:
        with open(path, encoding="utf-8") as file:
            return next((line[len(prefix):].strip(" \t:\n") for line in file if line.startswith(prefix)), "")
    except OSError:
        return ""


def describe():
    cache = "/sys/devices/system/cpu/cpu0/cache/index%d/size"
    return {
        "processor": first("/proc/cpuinfo", "model name"),
        "cores": len(os.sched_getaffinity(0)),
        "caches": ", ".join(f"{name} {first(cache % at)}" for name, at in (("L1d", 0), ("L2", 2), ("L3", 3)) if first(cache % at)),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "huge pages": first("/sys/kernel/mm/transparent_hugepage/enabled"),
        "system": platform.platform(terse=True),
        "compiler": subprocess.run(["cc", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0],
    }


def versions(peers):
    return {"python": platform.python_version(), **{peer.name: peer.version for peer in peers if peer.version}}

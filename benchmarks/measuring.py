"""What every part of the benchmarks needs: running a command, making a history, writing numbers."""

import os
import platform
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLUMB = os.environ.get("PLUMB", str(ROOT / "build" / "plumb"))
BUILD = ROOT / "build" / "bench"

SMALL_MEMORY_KB = 20_000  # below, the memory of this script's fork hides that of the process it starts
MISSING = "–"


class Failure(Exception):
    pass


def start(command, timeout=900):
    """Runs a command; gives its exit status, output and peak memory."""
    status, output, usage = run_measured(command, timeout)
    return status, output, usage.ru_maxrss


def run_measured(command, timeout):
    """Runs a command; gives its exit status, output and what it used."""
    with tempfile.TemporaryFile("w+") as out:
        try:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        except OSError as error:
            raise Failure(f"cannot run {command[0]}: {error.strerror} ('make build' builds build/plumb)") from error
        begun = time.monotonic()
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            elapsed = time.monotonic() - begun
            if elapsed > timeout:
                process.kill()
            time.sleep(min(0.005, 0.0001 + elapsed / 100))  # short runs are not rounded up
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return process.returncode, out.read(), usage


def built(*programs):
    """The paths of programs of the benchmarks, built."""
    for command in (["cmake", "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                     "-DPLUMB_BUILD_TESTS=OFF", "-DPLUMB_BUILD_COMMAND=OFF", "-DPLUMB_BUILD_BENCHMARKS=ON"],
                    ["cmake", "--build", str(BUILD), "-j2", "--target", *programs]):
        try:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Failure(f"cannot build {', '.join(programs)}: {error}") from error
    return [str(BUILD / "benchmarks" / name) for name in programs]


def milliseconds(value):
    if value >= 10_000:
        return f"{value / 1000:.1f} s"
    return f"{value:.3g} ms" if value < 100 else f"{value:.0f} ms"


def memory_text(kilobytes):
    return "< 20 MB" if kilobytes < SMALL_MEMORY_KB else f"{kilobytes * 1024 / 1e6:.0f} MB"


def generate(folder, name, *options):
    """The path of a history made by `plumb generate`; made once."""
    path = folder / name
    if path.exists():
        return str(path)
    command = [PLUMB, "generate", *map(str, options), "--output", str(path)]
    status, output, _ = start(command)
    if status != 0:
        raise Failure(f"{shlex.join(command)}: status {status}\n{output}")
    return str(path)


def recordings(variable, default, pattern, origin):
    """The folder of recordings that a variable names, or the default; it must have files of this pattern."""
    folder = Path(os.environ.get(variable) or default)
    if not any(folder.glob(pattern)):
        raise Failure(f"there are no recordings: no {pattern} in {folder}\n{origin}\nThey are not part of this repository; "
                      f"{variable}=FOLDER says where they are.")
    return folder


def settings(*names):
    """Those of these variables that are set, as they are written down: names of programs and folders, not where they are here."""
    return [f"{name}={shlex.quote(Path(os.environ[name]).name)}" for name in names if os.environ.get(name)]


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown processor")
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GB; {platform.system()} {platform.release()}"


def marks(name):
    return f"<!-- {name} -->", f"<!-- end of {name} -->"


def kept(old, name):
    """What an earlier run of a part with a target of its own wrote, with its marks; empty if there was none."""
    begin, end = marks(name)
    return begin + old.split(begin, 1)[1].split(end, 1)[0] + end if begin in old else ""


def replace_part(path, name, text):
    """Puts a part into the file, instead of what stood there or at the end."""
    begin, end = marks(name)
    part = f"{begin}\n{text}\n{end}"
    old = path.read_text(encoding="utf-8")
    before = kept(old, name)
    path.write_text(old.replace(before, part) if before else f"{old.rstrip()}\n\n{part}\n", encoding="utf-8")

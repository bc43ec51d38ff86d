"""Builds the wheel of the package for Python, for pip (PEP 517): CMake makes the package, and a wheel is an archive of it.

pip install .                                                  builds in build/python-wheel
pip install . --config-settings=build-dir=build                takes what is built in build/"""
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPTIONS = {"PLUMB_BUILD_PYTHON": "ON", "PLUMB_BUILD_TESTS": "OFF", "PLUMB_BUILD_EXAMPLES": "OFF", "PLUMB_BUILD_COMMAND": "OFF",
           "PLUMB_INSTALL": "OFF"}
HOW = "scripts/install-deps python installs what the build needs (on Debian)"


def version():
    return re.search(r'kVersion = "([^"]+)"', (ROOT / "include/plumb/version.hpp").read_text(encoding="utf-8"))[1]


def metadata():
    return (f"Metadata-Version: 2.1\nName: plumb\nVersion: {version()}\nSummary: Is it linearizable? Exact verdicts for recorded histories\n"
            "License: MIT\nRequires-Python: >=3.9\n")


def run(*command):
    try:
        subprocess.run(command, cwd=ROOT, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"plumb: {' '.join(map(str, command))}: {error}\n{HOW}") from None


def built(settings):
    """The folder of the package, built."""
    folder = (settings or {}).get("build-dir")
    if not folder:
        folder = "build/python-wheel"
        definitions = [f"-D{name}={value}" for name, value in OPTIONS.items()]
        run("cmake", "-S", ".", "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DPython3_EXECUTABLE={sys.executable}", *definitions)
    run("cmake", "--build", folder, "--target", "plumb_python")
    return ROOT / folder / "python" / "plumb"


def write_wheel(path, tag, package):
    info = f"plumb-{version()}.dist-info"
    files = {f"plumb/{file.name}": file.read_bytes() for file in sorted(package.iterdir()) if file.is_file()}
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: plumb\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            wheel.writestr(name, content)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    name = f"plumb-{version()}-{tag}.whl"
    write_wheel(pathlib.Path(wheel_directory) / name, tag, built(config_settings))
    return name


def build_sdist(sdist_directory, config_settings=None):
    """What git knows, in an archive."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    folder = f"plumb-{version()}"
    about = pathlib.Path(sdist_directory) / "PKG-INFO"
    about.write_text(metadata(), encoding="utf-8")
    with tarfile.open(pathlib.Path(sdist_directory) / f"{folder}.tar.gz", "w:gz") as archive:
        archive.add(about, f"{folder}/PKG-INFO")
        for name in filter(None, listed.split("\0")):
            archive.add(ROOT / name, f"{folder}/{name}", recursive=False)
    about.unlink()
    return f"{folder}.tar.gz"

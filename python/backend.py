"""Builds wheels and source archives of the module (PEP 517) with CMake and the standard library alone, so that nothing has to
be fetched: pip's own isolated environment has no setuptools."""
from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: what a build of the module reads
PARTS = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "pyproject.toml", "cmake", "cli", "draw", "include",
         "python", "src", "tools/embed", "viewer/page.html")
#: folders of them that it does not
SKIPPED = {"__pycache__", "tests", "notebooks"}


def version() -> str:
    """As the header has it (CRD_VERSION_MAJOR and so on)."""
    text = (ROOT / "include" / "cradle" / "base.h").read_text("utf-8")
    return ".".join(re.search(rf"^#define CRD_VERSION_{part} (\d+)$", text, re.M)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def metadata() -> str:
    """The table [project] of pyproject.toml; its few keys are read without a parser, which Python has from 3.11 on."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")

    def item(key):
        return re.search(rf'^{re.escape(key)} = "([^"]*)"', text, re.M)[1]

    def items(key):
        found = re.search(rf"^{re.escape(key)} = \[([^\]]*)\]", text, re.M)
        return re.findall(r'"([^"]*)"', found[1]) if found else []
    lines = ["Metadata-Version: 2.1", f"Name: {item('name')}", f"Version: {version()}", f"Summary: {item('description')}",
             f"Requires-Python: {item('requires-python')}"]
    lines += [f"Requires-Dist: {one}" for one in items("dependencies")]
    for extra in re.findall(r"^(\w+) = \[", text.split("[project.optional-dependencies]")[1], re.M):
        lines += [f"Provides-Extra: {extra}"] + [f'Requires-Dist: {one}; extra == "{extra}"' for one in items(extra)]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text("utf-8")])


def tag() -> str:
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp39-abi3-{platform}"


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel


def interpreter() -> str:
    """A Python that has cffi and numpy: this one, or the one from which an isolated environment was made, or the system's. Any
    serves, since the module keeps to the stable ABI."""
    known = list(dict.fromkeys([sys.executable, getattr(sys, "_base_executable", sys.executable), "/usr/bin/python3"]))
    for python in known:
        if os.path.exists(python) and subprocess.run([python, "-I", "-c", "import cffi, numpy"], capture_output=True).returncode == 0:
            return python
    raise RuntimeError(f"found no cffi and numpy for {', '.join(known)}, expected one that has both (Debian: python3-cffi, "
                       "python3-numpy)")


def build_files(folder: Path) -> None:
    """Configures and builds build/python in `folder`."""
    options = [f"-DCRADLE_PYTHON={interpreter()}", "-DCMAKE_BUILD_TYPE=Release", "-DCRADLE_BUILD_TESTS=OFF",
               "-DCRADLE_BUILD_BENCH=OFF", "-DCRADLE_WITH_MPI=OFF", "-DCRADLE_WITH_CAIRO=OFF"]
    if subprocess.run(["ninja", "--version"], capture_output=True).returncode == 0:
        options += ["-G", "Ninja"]
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), *options], check=True)
    subprocess.run(["cmake", "--build", str(folder), "--target", "cradle_python", "-j", str(os.cpu_count() or 1)],
                   check=True)


def package_files(folder: Path) -> dict[str, bytes]:
    package = folder / "python" / "cradle"
    return {f"cradle/{f.relative_to(package)}": f.read_bytes() for f in sorted(package.rglob("*")) if f.is_file()
            and "__pycache__" not in f.parts}


def info_files() -> dict[str, bytes]:
    return {"METADATA": metadata().encode(), "LICENSE": (ROOT / "LICENSE").read_bytes(),
            "WHEEL": f"Wheel-Version: 1.0\nGenerator: cradle\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode()}


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None) -> str:
    info = Path(metadata_directory) / f"cradle-{version()}.dist-info"
    info.mkdir()
    for name, data in info_files().items():
        (info / name).write_bytes(data)
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    """config_settings["build-dir"]: a folder in which CMake has built the module already."""
    name = f"cradle-{version()}-{tag()}.whl"
    info = f"cradle-{version()}.dist-info"
    built = (config_settings or {}).get("build-dir")
    if built:
        files = package_files(Path(built))
    else:
        with tempfile.TemporaryDirectory() as folder:
            build_files(Path(folder))
            files = package_files(Path(folder))
    if not any(path.endswith(".so") for path in files):
        raise FileNotFoundError(f"build-dir: found no module in {built}, expected python/cradle/_cradle.abi3.so")
    files.update({f"{info}/{path}": data for path, data in info_files().items()})

    def digest(data):
        return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record = "".join(f"{path},{digest(data)},{len(data)}\n" for path, data in files.items()) + f"{info}/RECORD,,\n"
    files[f"{info}/RECORD"] = record.encode()
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name


def build_sdist(sdist_directory, config_settings=None) -> str:
    name = f"cradle-{version()}"

    def wanted(entry):
        return None if SKIPPED & set(Path(entry.name).parts) else entry
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for part in PARTS:
            archive.add(ROOT / part, f"{name}/{part}", filter=wanted)
        data = metadata().encode()
        entry = tarfile.TarInfo(f"{name}/PKG-INFO")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return f"{name}.tar.gz"

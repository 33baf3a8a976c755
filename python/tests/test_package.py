"""The package as others meet it: stubs that type checkers take, docstrings, the wheel."""
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import cradle
from conftest import ROOT

BUILD = Path(cradle.__file__).resolve().parents[2]
STUBS = ROOT / "python" / "stubs"


def run(*command, **options):
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, timeout=500, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_stubs_are_up_to_date():
    run("-I", STUBS, "--check")


def test_stubs_say_what_the_module_has(tmp_path):
    pytest.importorskip("mypy")
    assert "no issues" in run("-m", "mypy.stubtest", "--ignore-missing-stub", "cradle", cwd=tmp_path)


def test_a_session_passes_a_strict_type_checker(tmp_path):
    pytest.importorskip("mypy")
    session = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text("utf-8"), re.S)[1]
    (tmp_path / "session.py").write_text("from typing import Any\n\n\ndef policy(reading: Any) -> Any: ...\n\n\n" + session + """
x: float = sim.time + p.kinetic + o.energy_ratio[0] + m.mass
n: int = m.nq + p.nc + len(tr) + b.count
name: str = p.contacts[0].name + tr.status + cradle.laws[0].source
found: list[float] = [law.value["e"] for law in cradle.fit("drops.jsonl", laws=["newton"])]
""")
    run("-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", tmp_path / "session.py",
        env={**os.environ, "MYPYPATH": str(BUILD / "python")}, cwd=tmp_path)


def public(thing, where):
    """(where, member) of a module or class, those that are inherited from elsewhere left out."""
    for name, member in vars(thing).items():
        if not name.startswith("_") and (inspect.isroutine(member) or isinstance(member, (property, type, classmethod))):
            yield f"{where}.{name}", member


def test_everything_public_has_a_docstring():
    silent = []
    for name in cradle.__all__:
        thing = getattr(cradle, name)
        if not isinstance(thing, type) and not inspect.isroutine(thing):
            continue
        for where, member in [(name, thing), *(public(thing, name) if isinstance(thing, type) else [])]:
            if not inspect.getdoc(member):
                silent.append(where)
    for where, member in public(cradle.env, "env"):
        if getattr(member, "__module__", "") == "cradle.env":
            for inner, method in [(where, member), *public(member, where)]:
                if not inspect.getdoc(method) and not isinstance(method, type):
                    silent.append(inner)
    assert not silent


def test_docstrings_of_arrays_say_their_shape():
    silent = []
    for name in cradle.__all__:
        thing = getattr(cradle, name)
        for where, member in public(thing, name) if isinstance(thing, type) else []:
            kind = isinstance(member, property) and (inspect.signature(member.fget).return_annotation,
                                                     vars(thing).get("__annotations__", {}).get(where.split(".")[1]))
            if "ndarray" in str(kind) and not re.search(r"\([\w, x+:]+\)|structured", inspect.getdoc(member)):
                silent.append(where)
    assert not silent


def test_a_wheel_is_built_and_installed_without_network(tmp_path):
    pytest.importorskip("build")
    pytest.importorskip("pip")
    run("-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, f"--config-setting=build-dir={BUILD}", ROOT)
    (wheel,) = tmp_path.glob("cradle-*.whl")
    assert f"-{cradle.__version__}-cp39-abi3-" in wheel.name.replace("cradle", "")
    run("-m", "pip", "install", "--no-index", "--no-deps", "--target", tmp_path / "there", wheel)
    said = run("-c", "import cradle, importlib.metadata as m; s = cradle.Sim(cradle.Model('@pendulum:2')); s.step(10); "
               "print(cradle.__file__, m.version('cradle'), s.time > 0)", env={**os.environ, "PYTHONPATH": str(tmp_path / "there")},
               cwd=tmp_path).split()
    assert said == [str(tmp_path / "there" / "cradle" / "__init__.py"), cradle.__version__, "True"]
    assert (tmp_path / "there" / "cradle" / "py.typed").exists() and (tmp_path / "there" / "cradle" / "sim.pyi").exists()


def test_an_isolated_environment_finds_what_builds_the_module(tmp_path):
    """As `python3 -m build` and pip make one, without packages."""
    pytest.importorskip("venv")
    run("-m", "venv", "--without-pip", tmp_path / "bare")
    python = tmp_path / "bare" / "bin" / "python"
    done = subprocess.run([python, "-c", "import backend; print(backend.interpreter())"], capture_output=True, text=True,
                          cwd=ROOT / "python")
    assert done.returncode == 0, done.stderr
    found = Path(done.stdout.strip())
    assert found != python and subprocess.run([found, "-I", "-c", "import cffi, numpy"]).returncode == 0


def test_a_source_archive_has_what_a_build_reads(tmp_path):
    pytest.importorskip("build")
    import tarfile
    run("-m", "build", "--no-isolation", "--sdist", "--outdir", tmp_path, ROOT)
    (archive,) = tmp_path.glob("cradle-*.tar.gz")
    with tarfile.open(archive) as file:
        names = {name.split("/", 1)[1] for name in file.getnames() if "/" in name}
    assert {"CMakeLists.txt", "pyproject.toml", "python/backend.py", "python/glue/glue.h", "src/sim/step.c", "cli/fit.h",
            "include/cradle/base.h", "PKG-INFO", "viewer/page.html"} <= names
    assert not any("__pycache__" in name or name.startswith("python/tests") for name in names)

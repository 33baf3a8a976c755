"""cradle: rigid-body contact and impact.

    m = cradle.Model("robot.xml")
    p = m.contact_problem(q, v, mu=0.8)      # M, J, W, u as numpy views
    for law in cradle.laws: print(p.resolve(law))
    p.outcomes(); p.check()
    sim = cradle.Sim(m); sim.step(); trace = sim.run(2.0)

docs/python.md tells more.
"""
from __future__ import annotations

from typing import Any

from . import _core, env
from ._core import Error, FileError, InputError, Path, Verdict
from .batch import Batch, Rollout
from .check import Check
from .fitting import Fit, FitLaw, RowsLeftOut, fit
from .impact import Law, Result, Solution, laws
from .model import Ignored, Key, Model
from .outcomes import Hull, OutcomeFile, Outcomes
from .problem import Contact, ContactProblem, Contacts
from .sim import Sim, StateMoved
from .trace import Trace

__version__ = _core.decode(_core.lib.crd_version())
__all__ = ["Batch", "Check", "Contact", "ContactProblem", "Contacts", "Error", "FileError", "Fit", "FitLaw", "Hull", "Ignored", "InputError", "Key",
           "Law", "Model", "OutcomeFile", "Outcomes", "Result", "Rollout", "RowsLeftOut", "Sim", "Solution", "StateMoved",
           "Trace", "Verdict", "env", "examples", "fit",
           "laws", "open"]


def open(path: Path) -> Any:
    """What a file holds: a Trace or an OutcomeFile (.h5), a ContactProblem (.json), else a Model."""
    from . import outcomes, trace
    from ._core import decode, failure, ffi, lib

    name = _core.encode("path", path, path=True)
    if name.endswith(b".json"):
        return ContactProblem(path)
    if not name.endswith(b".h5"):
        return Model(path)
    kind, err = ffi.new("char[16]"), _core.new_error()
    status = lib.crdpy_file_kind(name, kind, err)
    if status:
        raise failure(status, err)
    if decode(kind).startswith("trace"):
        return trace.read(path)
    out = ffi.new("crd_outcome_file **")
    status = lib.crdpy_outcome_file_read(name, out, err)
    if status:
        raise failure(status, err)
    return OutcomeFile(out[0])


def examples() -> dict[str, str]:
    """The built-in examples, name and summary: Model("@name") or Model("@name:n") reads one."""
    lib, decode = _core.lib, _core.decode
    return {decode(e.name): decode(e.summary) for e in map(lib.crd_io_example_at, range(lib.crd_io_example_count()))}

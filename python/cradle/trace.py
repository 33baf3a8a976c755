"""Runs: recorded by Sim.run or read from a file. Rows are states after steps, events lie between them."""
from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._core import Path, decode, encode, failure, ffi, lib, view

if TYPE_CHECKING:
    from .model import Model

KINDS = tuple(decode(lib.crd_sim_event_name(k)) for k in range(lib.CRD_EVENT_KINDS))
_PARTS = tuple(name for name, _ in ffi.typeof("crd_sim_energy").fields)


class Energy:
    """The ledger over the rows: energy["impact"] (nrow), J since the reset. kinetic + potential = start + the others.

    kinetic, potential; start; actuation, damping, impact, contact, loop, imposed, integration (negative is a loss); gain_max,
    gain_sum, law_gain_max (docs/simulation.md).
    """
    __slots__ = ("_rows",)
    parts: tuple[str, ...] = _PARTS

    def __init__(self, rows):
        self._rows = rows

    def __getitem__(self, part: str) -> np.ndarray:
        if _core.text("energy", part) not in _PARTS:
            raise KeyError(f"energy: found {part!r}, expected one of {', '.join(_PARTS)}")
        return self._rows[part]

    def __iter__(self) -> Iterator[str]:
        return iter(_PARTS)

    def keys(self) -> tuple[str, ...]:
        return _PARTS

    def to_pandas(self):
        return _core.table({part: self._rows[part] for part in _PARTS})

    def __repr__(self):
        if not len(self._rows):
            return "Energy()"
        return "Energy at the end, J: " + ", ".join(f"{p} {self._rows[p][-1]:.6g}" for p in _PARTS)


class Events:
    """What happened, in the order of time: `array` has t, s, count, approach (m/s), impulse (N s), energy (J) and kind (an
    index to cradle.trace.KINDS)."""
    __slots__ = ("_handle", "_t")

    def __init__(self, handle, t):
        self._handle, self._t = handle, t

    def __len__(self):
        return self._t.nevent

    @property
    def array(self) -> np.ndarray:
        return _core.structs(self._handle, self._t.event, len(self), "crd_sim_event")

    @property
    def kinds(self) -> list[str]:
        return [KINDS[k] for k in self.array["kind"]]

    @property
    def contacts(self) -> list[str]:
        """The contact that caused each."""
        return [decode(self._t.event[i].contact) for i in range(len(self))]

    @property
    def qpos(self) -> np.ndarray:
        """States after the events (n, nq)."""
        return view(self._handle, self._t.event_qpos, (len(self), self._t.nq))

    @property
    def qvel(self) -> np.ndarray:
        """Velocities after the events (n, nv)."""
        return view(self._handle, self._t.event_qvel, (len(self), self._t.nv))

    @property
    def qvel_before(self) -> np.ndarray | None:
        """Velocities before the events (n, nv), NaN where they are not known; None: a trace of an older version."""
        return view(self._handle, self._t.event_qvel_before, (len(self), self._t.nv))

    def __getitem__(self, i: int) -> dict[str, Any]:
        e = self._t.event[_core.index("event", i, len(self), "events")]
        return {"t": e.t, "kind": KINDS[e.kind], "contact": decode(e.contact), "count": e.count,
                "approach": e.approach, "impulse": e.impulse, "energy": e.energy, "s": e.s}

    def to_pandas(self):
        a = self.array
        return _core.table({"t": a["t"], "kind": self.kinds, "contact": self.contacts,
                            **{f: a[f] for f in ("count", "approach", "impulse", "energy", "s")}})

    def __repr__(self):
        kinds = self.kinds
        return f"{len(self)} events: " + ", ".join(f"{kinds.count(k)} {k}" for k in KINDS if k in kinds)


class Trace:
    """A run. Arrays are read-only views: t (nrow, s), qpos (nrow, nq), qvel (nrow, nv), act (nrow, nact)."""
    energy: Energy
    events: Events

    def __init__(self, pointer, model: Model | None = None):
        self._model = model
        self._handle = ffi.gc(pointer, lib.crdpy_trace_drop)
        self._t = pointer.trace
        self.energy = Energy(_core.structs(self._handle, self._t.energy, self._t.nrow, "crd_sim_energy"))
        self.events = Events(self._handle, self._t)

    nq: int = property(lambda self: self._t.nq, doc="coordinates")
    nv: int = property(lambda self: self._t.nv, doc="velocities")
    input: str = property(lambda self: decode(self._t.header.input), doc="the model as it was named")
    version: str = property(lambda self: decode(self._t.version), doc="of the cradle that wrote it")
    seed: int = property(lambda self: self._t.header.options.seed, doc="of the rates of a set-valued law")
    timestep: float = property(lambda self: self._t.header.options.timestep, doc="s")
    truncated: bool = property(lambda self: bool(self._t.end.truncated), doc="it did not reach its time")
    status: str = property(lambda self: decode(self._t.end.status), doc='"ok", or why it ended')
    law: str = property(lambda self: decode(self._t.header.options.law.name)
                        if self._t.header.options.law != _core.NULL else "poisson", doc="of impacts, at collisions")

    def __len__(self):
        return self._t.nrow

    def _rows(self, field, *shape):
        return view(self._handle, getattr(self._t, field), (len(self), *shape))

    t: np.ndarray = property(lambda self: self._rows("t"), doc="time (nrow), s")
    s: np.ndarray | None = property(lambda self: self._rows("s"), doc="t plus the normal impulses so far (nrow); None: an old trace")
    qpos: np.ndarray = property(lambda self: self._rows("qpos", self.nq), doc="positions (nrow, nq), m and rad")
    qvel: np.ndarray = property(lambda self: self._rows("qvel", self.nv), doc="velocities (nrow, nv), m/s and rad/s")
    penetration: np.ndarray = property(lambda self: self._rows("penetration"), doc="largest so far (nrow), m")
    residual: np.ndarray = property(lambda self: self._rows("residual"), doc="of the problems solved, largest so far (nrow), scaled")

    @property
    def act(self) -> np.ndarray:
        """Activations (nrow, nact)."""
        a = self._rows("act", self._t.header.nact)
        return np.zeros((len(self), 0)) if a is None else a

    @property
    def contacts(self) -> np.ndarray:
        """All contacts of all rows as a structured array: fields of crd_sim_contact, those of its crd_contact under
        "contact"; those of row i are contacts[offset[i]:offset[i + 1]]."""
        return _core.structs(self._handle, self._t.contact, int(self.offset[-1]), "crd_sim_contact")

    @property
    def offset(self) -> np.ndarray:
        """Where the contacts of each row begin (nrow + 1)."""
        return view(self._handle, self._t.offset, (len(self) + 1,), "<i8")

    @property
    def contact_names(self) -> list[str]:
        """Names, in the order of `contacts`."""
        return [decode(self._t.contact[i].contact.name) for i in range(int(self.offset[-1]))]

    @property
    def counters(self) -> dict[str, int | dict[str, int]]:
        """Steps, impacts, problems solved and so on (crd_sim_counters), at the end."""
        return counters_dict(self._t.end.counters)

    @property
    def model(self) -> Model:
        """The Model that was simulated; of a trace out of a file, from the files it carries. A file of a variant's trace
        carries none: InputError."""
        from .model import _model_from_files
        if self._model is None:
            h = self._t.header
            if h.nfile == 0:
                raise _core.InputError(f"{self.input}: found no model in the trace, expected the files of one", "bad file format")
            files = {decode(h.file[i].name): bytes(ffi.buffer(h.file[i].data, h.file[i].size)) for i in range(h.nfile)}
            self._model = _model_from_files(self.input, files, bool(h.lenient), decode(h.formulation), [])
        return self._model

    def to_pandas(self):
        """A DataFrame with a row for each row: t, qpos[0] .., qvel[0] .., and the energies."""
        return _core.table({"t": self.t, **{f"qpos[{i}]": self.qpos[:, i] for i in range(self.nq)},
                            **{f"qvel[{i}]": self.qvel[:, i] for i in range(self.nv)},
                            **{part: self.energy[part] for part in _PARTS}})

    def plot_energy(self, ax=None):
        """Kinetic, potential and total energy over time, and the ledger, by matplotlib. Returns the axes drawn on."""
        from ._plot import plot_energy
        return plot_energy(self, ax)

    def save(self, path: Path) -> None:
        """Writes it as HDF5 (.h5, with everything needed to repeat it: docs/trace.md) or CSV (.csv)."""
        err = _core.new_error()
        status = lib.crdpy_trace_write(encode("path", path, path=True), self._handle, err)
        if status:
            raise failure(status, err)

    def save_page(self, path: Path) -> None:
        """Writes the page that plays it (docs/viewer.md)."""
        err = _core.new_error()
        status = lib.crdpy_trace_page(encode("path", path, path=True), self._handle, err)
        if status:
            raise failure(status, err)

    def _repr_html_(self):
        return _core.in_page(self.save_page)

    def to_dict(self) -> dict[str, Any]:
        """The object of `cradle run --json`."""
        return json.loads(_core.taken_text(lib.crdpy_trace_print(self._handle, True)))

    def __repr__(self):
        return _core.taken_text(lib.crdpy_trace_print(self._handle, False)).rstrip("\n") if len(self) else \
            f"{self.input}: an empty trace"

    def __reduce__(self):
        import os
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.h5")
            self.save(path)
            with open(path, "rb") as file:
                return _from_bytes, (file.read(), self._model)


def _from_bytes(data: bytes, model: Model | None) -> Trace:
    import os
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.h5")
        with open(path, "wb") as file:
            file.write(data)
        return read(path, model)


def counters_dict(c) -> dict[str, int | dict[str, int]]:
    out = {}
    for name, f in ffi.typeof("crd_sim_counters").fields:
        value = getattr(c, name)
        if name == "retries":
            value = {decode(lib.crd_sim_retry_name(k)): value[k] for k in range(lib.CRD_RETRIES)}
        elif name == "settled":
            value = {decode(lib.crd_coulomb_method_name(k)): value[k] for k in range(lib.CRD_COULOMB_METHODS)}
        out[name] = value
    return out


def read(path: Path, model: Model | None = None) -> Trace:
    """A trace from an HDF5 file. model: what was simulated, None: what the file carries."""
    out, err = ffi.new("crdpy_trace **"), _core.new_error()
    status = lib.crdpy_trace_read(encode("path", path, path=True), out, err)
    if status:
        raise failure(status, err)
    return Trace(out[0], model)

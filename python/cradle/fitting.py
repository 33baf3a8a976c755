"""Which law of impact, and which coefficients? Answered from measured impacts, as `cradle fit` does."""
from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._core import Path, decode, doubles, encode, failure, ffi, lib, nan
from .impact import law_pointer, laws as _all_laws
from .model import Model
from .outcomes import box_of
from .problem import ContactProblem, listed

PARAMETERS = tuple(decode(lib.crd_fit_parameter_name(k)) for k in range(lib.CRD_FIT_PARAMETERS))
LOSSES = ("mean", "squares", "huber")
_MOST = {"grid": 200, "resamples": 100000, "folds": 1000, "facets": 256}  # as the program takes


class RowsLeftOut(UserWarning):
    """Some rows of the data are bad and take no part; `Fit.bad` says which and why."""


class FitLaw(NamedTuple):
    """One law's coefficients and how well they describe the impacts. NaN: not known, or no answer."""
    law: str
    status: str  #: "ok", or why it has no coefficients
    rank: int  #: from 1; 0: it answers none of the impacts
    value: dict[str, float]  #: of each of PARAMETERS
    interval: dict[str, tuple[float, float]]  #: of each that was fitted
    determined: dict[str, bool]  #: e and mu: False where half of the range or more fits as well
    error: float  #: loss of the rows that were fitted
    test: float  #: loss of the rows unseen
    behind: tuple[float, float, float]  #: loss more than the best law's, with its interval
    correlation: float  #: of e and mu over the resamples
    unanswered: int  #: rows without an answer at these coefficients
    errors: np.ndarray  #: of every row (rows)
    v_plus: np.ndarray  #: predicted (rows, nv), m/s and rad/s
    surface: np.ndarray  #: loss over the grid of Fit.e and Fit.mu


class Fit:
    """What the impacts say: prints as `cradle fit`. fit["routh"] is the law, `laws` has them by rank, `best` the first; with
    groups the same of each by group(name)."""

    def __init__(self, found: dict[str, Any], text: str, bad: list[str]):
        self._found, self._text = found, text
        #: what is wrong with the rows that were left out
        self.bad = bad
        #: rows in the data
        self.rows: int = found["rows"]

    @property
    def groups(self) -> list[str]:
        """Names of the groups of rows with coefficients of their own; none: all rows have the same."""
        return [part["group"] for part in self._found["fits"] if part["group"] is not None]

    def group(self, name: str | None = None) -> list[FitLaw]:
        """The laws by rank, fitted to a group; None: the first."""
        return [_law(found) for found in sorted(self._part(name)["laws"], key=lambda one: one.get("rank") or 1000)]

    def _part(self, name):
        for part in self._found["fits"]:
            if name is None or part["group"] == _core.text("group", name):
                return part
        raise KeyError(f"group: found {name!r}, expected one of {', '.join(self.groups) or 'none'}")

    @property
    def laws(self) -> list[FitLaw]:
        """The laws by rank, those without an answer last."""
        return self.group()

    @property
    def best(self) -> FitLaw:
        """The law that ranks first."""
        return self.laws[0]

    e: np.ndarray = property(lambda self: _array(self._part(None).get("e")), doc="the grid of e (ne)")
    mu: np.ndarray = property(lambda self: _array(self._part(None).get("mu")), doc="the grid of mu (nmu)")
    look: dict[str, Any] = property(lambda self: self._found["look"], doc="what the balance of momentum says without a law")
    coverage: dict[str, Any] | None = property(lambda self: self._part(None).get("coverage"),
                                               doc="measured outcomes against predicted sets, where they were asked for")

    def __getitem__(self, law: str) -> FitLaw:
        known = self.laws
        for one in known:
            if one.law == _core.text("law", law):
                return one
        raise KeyError(f"law: found {law!r}, expected one of {', '.join(one.law for one in known)}")

    def __iter__(self) -> Iterator[FitLaw]:
        return iter(self.laws)

    def __len__(self) -> int:
        return len(self._part(None)["laws"])

    def to_dict(self) -> dict[str, Any]:
        """The object of `cradle fit --json`."""
        return self._found

    def to_pandas(self):
        """A DataFrame with a row for each law (and group): rank, coefficients with intervals, errors."""
        rows = []
        for name in self.groups or [None]:
            for one in self.group(name):
                row = {} if name is None else {"group": name}
                row.update(rank=one.rank, law=one.law, status=one.status)
                for p, value in one.value.items():
                    row[p] = value
                    if p in one.interval:
                        row[f"{p}_low"], row[f"{p}_high"] = one.interval[p]
                rows.append({**row, "error": one.error, "test": one.test, "behind": one.behind[0]})
        columns = list(dict.fromkeys(c for row in rows for c in row))
        return _core.table({c: [row.get(c, nan) for row in rows] for c in columns})

    def __repr__(self) -> str:
        return self._text


def _number(x) -> float:
    return nan if x is None else float(x)


def _array(rows) -> np.ndarray:
    return np.array([] if rows is None else rows, dtype=object).astype(np.float64)  # None, JSON's null, becomes NaN


def _law(found) -> FitLaw:
    value = {p: _number(found[p]["value"]) for p in PARAMETERS if p in found}
    interval = {p: (_number(found[p]["low"]), _number(found[p]["high"])) for p in value if found[p]["fitted"]}
    determined = {p: found[p]["determined"] for p in value if "determined" in found[p]}
    return FitLaw(found["law"], found["status"], found.get("rank") or 0, value, interval, determined,
                  _number(found.get("error")), _number(found.get("test")),
                  tuple(_number(found.get(k)) for k in ("behind", "behind_low", "behind_high")),
                  _number(found.get("correlation")), found.get("unanswered", 0),
                  *(_array(found.get(k)) for k in ("errors", "v_plus", "surface")))


# ------------------------------------------------------------------------------------------------ rows

class _Rows:
    """Takes rows one by one and keeps what is wrong with the bad ones."""

    def __init__(self, mu, e):
        self.handle = ffi.gc(lib.crdpy_fit_new(), lib.crdpy_fit_drop)
        if self.handle == _core.NULL:
            raise MemoryError("no memory for a fit")
        self.mu, self.e, self.count, self.bad, self.first = mu, e, 0, [], None

    def fault(self, error):
        self.bad.append(f"row {self.count + 1}: {error}")
        self.first = self.first or error

    def add(self, problem, measured, override=True):
        err = _core.new_error()
        mu, e = (self.mu, self.e) if override else (nan, nan)
        status = lib.crdpy_fit_add(self.handle, problem, measured, mu, e, self.count, err)
        if status == lib.CRD_ERR_MEMORY:
            raise failure(status, err)
        if status:
            self.fault(failure(status, err))

    def of_file(self, rows):
        problem = ffi.gc(lib.crd_contact_problem_new(), lib.crd_contact_problem_free)
        measured, err = ffi.new("crd_measured *"), _core.new_error()
        try:
            for row in range(lib.crd_io_problem_rows_count(rows)):
                status = lib.crd_io_take_problem_row(rows, row, problem, measured, err)
                if status == lib.CRD_ERR_MEMORY:
                    raise failure(status, err)
                if status:
                    self.fault(failure(status, err))
                else:
                    self.add(problem, measured)
                self.count += 1
        finally:
            lib.crd_io_measured_free(measured)
            lib.crd_io_close_problem_rows(rows)

    def of_problems(self, rows):
        for row in rows:
            if not isinstance(row, tuple) or not 2 <= len(row) <= 4 or not isinstance(row[0], ContactProblem):
                raise TypeError(f"data: found {type(row).__name__} in row {self.count + 1}, expected (problem, v_plus) or "
                                "(problem, v_plus, sigma, group)")
            p, v_plus, sigma, group = (*row, None, None)[:4]
            own = ffi.new("crdpy_problem **")
            status = lib.crdpy_problem_copy(p._p, p._handle.input, own)  # coefficients may be set in it
            if status:
                raise failure(status)
            own = ffi.gc(own[0], lib.crdpy_problem_drop)
            measured = ffi.new("crd_measured *", {"nv": p.nv})
            held = [doubles(_core.vector("v_plus", v_plus, p.nv, "nv"))]
            measured.v_plus = held[0]
            if sigma is not None:
                held.append(doubles(_core.vector("sigma", sigma, p.nv, "nv")))
                measured.sigma = held[-1]
            held.append(ffi.new("char[]", encode("group", "" if group is None else group)))
            measured.group = held[-1]
            self.add(own.problem, measured)
            self.count += 1

    def of_states(self, model, gap, data):
        """data: (qpos, qvel, qvel_plus) or a file."""
        states, err = ffi.new("crd_measured_states *"), _core.new_error()
        try:
            if isinstance(data, (tuple, list)):
                names = ("qpos", "qvel", "qvel_plus")
                if len(data) != 3:
                    raise ValueError(f"data: found {len(data)} arrays, expected qpos, qvel, qvel_plus")
                n = len(np.atleast_2d(data[0]))
                q, v, plus = (_core.rows(name, a, (n, k)) for name, a, k in zip(names, data, (model.nq, model.nv, model.nv)))
                for row in range(n):
                    self._state(model, gap, q[row], v[row], plus[row], _core.NULL)
                return
            status = lib.crd_io_read_measured_states(encode("data", data, path=True), model.nq, model.nv, states, err)
            if status:
                raise failure(status, err)
            nq, nv = model.nq, model.nv
            q, v, plus = (np.frombuffer(ffi.buffer(a, 8 * k * states.rows)).reshape(-1, k) for a, k in (
                (states.qpos, nq), (states.qvel, nv), (states.qvel_plus, nv)))
            for row in range(states.rows):
                if states.fault[row] != _core.NULL:
                    self.fault(_core.InputError(f"{os.fsdecode(data)}:{states.line[row]}: {decode(states.fault[row])}",
                                                "bad file format", os.fsdecode(data), states.line[row]))
                    self.count += 1
                else:
                    self._state(model, gap, q[row], v[row], plus[row], states.group[row] if states.group else _core.NULL)
        finally:
            lib.crd_io_measured_states_free(states)

    def of_motions(self, model, piece, data):
        """data: [(t, qpos[, qvel[, name]])] or a file."""
        if isinstance(data, (tuple, list)):
            for motion in data:
                if not isinstance(motion, (tuple, list)) or not 2 <= len(motion) <= 4:
                    raise TypeError(f"data: found {type(motion).__name__} in row {self.count + 1}, expected (t, qpos), (t, qpos, "
                                    "qvel) or (t, qpos, qvel, name)")
                t, q, v, name = (*motion, None, None)[:4]
                n = np.size(t)
                t, q = _core.rows("t", np.ravel(t), (n,)), _core.rows("qpos", q, (n, model.nq))
                v = None if v is None else _core.rows("qvel", v, (n, model.nv))
                self._motion(model, piece, t, q, v, encode("name", "" if name is None else name))
            return
        tosses, err = ffi.new("crd_measured_tosses *"), _core.new_error()
        try:
            status = lib.crd_io_read_measured_tosses(encode("data", data, path=True), model.nq, model.nv, tosses, err)
            if status:
                raise failure(status, err)
            t, q, v = (a if a == _core.NULL else np.frombuffer(ffi.buffer(a, 8 * k * tosses.samples)).reshape(-1, k) for a, k in (
                (tosses.t, 1), (tosses.qpos, model.nq), (tosses.qvel, model.nv)))
            for k in range(tosses.count):
                part = slice(tosses.first[k], tosses.first[k + 1])
                if tosses.fault[k] != _core.NULL:
                    self.fault(_core.InputError(f"{os.fsdecode(data)}:{tosses.line[k]}: {decode(tosses.fault[k])}",
                                                "bad file format", os.fsdecode(data), tosses.line[k]))
                    self.count += 1
                else:
                    name = tosses.name[part.start] if tosses.name else _core.NULL
                    self._motion(model, piece, t[part], q[part], None if tosses.qvel == _core.NULL else v[part],
                                 b"" if name == _core.NULL else ffi.string(name))
        finally:
            lib.crd_io_measured_tosses_free(tosses)

    def _motion(self, model, piece, t, q, v, name):
        held = [np.ascontiguousarray(a) for a in (t, q) + (() if v is None else (v,))]
        status = lib.crdpy_fit_add_motion(self.handle, model._handle, len(t), doubles(held[0]), doubles(held[1]),
                                          _core.NULL if v is None else doubles(held[2]), name, piece, self.count)
        if status == lib.CRD_ERR_MEMORY:
            raise failure(status)
        if status:
            self.fault(failure(status, what=f"data: motion {self.count + 1}"))
        self.count += 1

    def _state(self, model, gap, q, v, plus, group):
        err = _core.new_error()
        p = lib.crdpy_problem_at(model._handle, doubles(q), doubles(v), nan, nan, gap, gap, err)
        if p == _core.NULL:
            self.fault(failure(err.status, err))
        else:
            p = ffi.gc(p, lib.crdpy_problem_drop)
            if p.problem.nc == 0:
                self.fault(_core.InputError(f"found no contact within {gap:g} m, expected one (gap)", "bad file format"))
            else:
                none = ffi.new("char[]", b"")
                held = doubles(plus)
                self.add(p.problem, ffi.new("crd_measured *", {"nv": model.nv, "v_plus": held, "group":
                                                               none if group == _core.NULL else group}), override=False)
        self.count += 1


def _read(rows: _Rows, data, model, gap, piece, any_restitution) -> str:
    """The rows of the data, motions where piece is not None; what stands for them in the text."""
    is_file = isinstance(data, (str, bytes)) or hasattr(data, "__fspath__")
    if model is not None:
        if not isinstance(model, Model):
            model = Model(model)
        if piece is not None:
            rows.of_motions(model, piece, data)
            return os.fsdecode(data) if is_file else "data"
        rows.of_states(model, _core.number("gap", gap, 0, 1), data)
        return os.fsdecode(data) if is_file else "data"
    out, err = ffi.new("crd_problem_rows **"), _core.new_error()
    options = ffi.new("crd_problem_read_options *", {"any_restitution": _core.flag("any_restitution", any_restitution)})
    if is_file:
        status = lib.crd_io_open_problem_rows(encode("data", data, path=True), options, out, err)
    else:
        if isinstance(data, Mapping) or not hasattr(data, "__iter__"):
            raise TypeError(f"data: found {type(data).__name__}, expected a path or a list of rows")
        data = list(data)
        if not data or not all(isinstance(row, dict) for row in data):
            rows.of_problems(data)
            return "data"
        text = json.dumps(data, default=listed).encode()
        status = lib.crd_io_open_problem_rows_text(text, len(text), b"data", options, out, err)
    if status:
        raise failure(status, err)
    rows.of_file(out[0])
    return os.fsdecode(data) if is_file else "data"


# ------------------------------------------------------------------------------------------------ fits

def _options(fitted, ranges, e, mu, loss, huber, test, grid, resamples, facets, round_cone, seed, threads):
    o = ffi.new("crd_fit_options *", lib.crd_fit_default())
    if isinstance(fitted, str) or not hasattr(fitted, "__iter__"):
        raise TypeError(f"fitted: found {type(fitted).__name__}, expected a list of names")
    o.fitted = 0
    for name in fitted:
        name, _, at = name.partition(":") if isinstance(name, str) else (name, "", "")
        p = _place("fitted", name)
        o.fitted |= 1 << p
        if name in ("inertia", "offset") or at:
            first, last = _velocities(name, at)
            if name == "inertia":
                o.inertia = [first, last]
            else:
                o.offset = first
    if ranges is not None and not isinstance(ranges, dict):
        raise TypeError(f"ranges: found {type(ranges).__name__}, expected a dict")
    for name, ends in (ranges or {}).items():
        p = _place("ranges", name)
        low, high = _core.vector(f"ranges[{name!r}]", ends, 2)
        if not low < high or (low < 0 and name not in ("e_t", "slope", "offset")) or (name == "e" and high > 1):
            raise ValueError(f"ranges[{name!r}]: found {low:g} to {high:g}, expected from below to above, within what the "
                             "coefficient may be")
        o.low[p], o.high[p] = low, high
    for name, value in (("e", e), ("mu", mu)):  # what is given is not fitted
        if not _core.is_nan(value):
            p = PARAMETERS.index(name)
            o.fitted &= ~(1 << p)
            o.value[p] = _core.number(name, value, 0, 1 if name == "e" else _core.LARGE)
    if not o.fitted:
        raise ValueError("fitted: found nothing left to fit, expected some of " + ", ".join(PARAMETERS))
    if _core.text("loss", loss) not in LOSSES:
        raise ValueError(f"loss: found {loss!r}, expected one of {', '.join(LOSSES)}")
    o.loss, o.huber = LOSSES.index(loss), _core.number("huber", huber, 1e-12)
    if isinstance(test, str) and test != "odd":
        raise ValueError(f"test: found {test!r}, expected 'odd' or a number of parts")
    o.folds = 0 if test is None else 1 if isinstance(test, str) else _core.count("test", test, 2, _MOST["folds"])
    o.grid = _core.count("grid", grid, 2, _MOST["grid"])
    o.resamples = _core.count("resamples", resamples, 10, _MOST["resamples"])
    o.facets = _core.count("facets", facets, 4, _MOST["facets"])
    if o.facets % 2:
        raise ValueError(f"facets: found {o.facets}, expected an even number in 4 .. {_MOST['facets']}")
    o.round_cone = _core.flag("round_cone", round_cone)
    o.seed, o.threads = _core.count("seed", seed, 0, 2**64 - 1), _core.count("threads", threads, 0, 4096)
    return o


def _velocities(name, at) -> tuple[int, int]:
    """"3" or, of an inertia, "4-6": velocities from 1."""
    first, dash, last = at.partition("-")
    many = name == "inertia" and dash
    if name in ("inertia", "offset") and first.isdecimal() and (not dash or (many and last.isdecimal())):
        ends = int(first), int(last or first)
        if 1 <= ends[0] <= ends[1] <= 9999:
            return ends[0] - 1, ends[1] - 1
    raise ValueError(f"fitted: found '{name}:{at}', expected inertia:K, inertia:K-L or offset:K (K, L: velocities, from 1)")


def _place(argument, name) -> int:
    if not isinstance(name, str) or name not in PARAMETERS:
        raise ValueError(f"{argument}: found {name!r}, expected some of {', '.join(PARAMETERS)}")
    return PARAMETERS.index(name)


def fit(data: Any, laws: Sequence[str] | str | None = None, *, model: Model | Path | None = None, gap: float = 1e-3, fitted: Sequence[str] = ("e", "mu"),
        ranges: dict[str, Any] | None = None, e: float = nan, mu: float = nan, loss: str = "mean", huber: float = 0.1,
        test: str | int | None = None, by_group: bool = False, coverage: dict[str, float] | None = None, grid: int | None = None,
        trajectories: bool = False, dt: float = nan, piece: float = nan, resamples: int = 400, facets: int = 8, round_cone: bool = True, any_restitution: bool = False, seed: int = 0,
        threads: int = 0) -> Fit:
    """The law of impact and its coefficients that describe measured impacts, with the numbers of `cradle fit`.

    data: a file (JSON, JSON lines or HDF5: docs/verb-fit.md); or a list of dicts as its rows, {"M": (nv, nv), "v": (nv),
    "v_plus": (nv), "contacts": [...], "sigma": (nv), "group": ""}, arrays or lists; or a list of (ContactProblem, v_plus[,
    sigma[, group]]). With `model`, a Model or its path: a CSV or HDF5 file, or arrays (qpos (n, nq), qvel (n, nv), qvel_plus
    (n, nv)); what is within `gap` (m) touches. Velocities m/s and rad/s. Rows that are bad are left out with a warning.

    trajectories: with `model`, data are whole motions: a CSV or HDF5 file, or a list of (t (n), qpos (n, nq)[, qvel (n, nv)[,
    name]]), simulated in steps of dt (s; NaN: the model's), whole or in pieces of `piece` seconds; e and mu are fitted to them.

    laws: names, None: all. fitted: some of PARAMETERS, "inertia:K" or "inertia:K-L" of the velocities K to L, "offset:K"; ranges: {"mu": (0, 2)}; e, mu: given and not fitted. loss: one of
    LOSSES, huber its bend. test: "odd" or a number of parts, of rows unseen. by_group: coefficients of each group. coverage:
    half widths {"mu":, "e":, "v":, "draws":} of sets of outcomes to hold the measured ones against. grid (None: 20, of
    motions 8), resamples, facets, round_cone, seed, threads as of the program; the same seed gives the same digits on any number of threads. any_restitution:
    takes data with e outside 0 .. 1.
    """
    if grid is None:
        grid = _TOSS_GRID if _core.flag("trajectories", trajectories) else _GRID
    o = _options(fitted, ranges, e, mu, loss, huber, test, grid, resamples, facets, round_cone, seed, threads)
    if isinstance(laws, str):
        laws = [laws]
    if laws is not None and not isinstance(laws, (list, tuple)):
        raise TypeError(f"laws: found {type(laws).__name__}, expected a list of names")
    pointers = [law_pointer(law) for law in (_all_laws if laws is None else laws)]
    if not pointers:
        raise ValueError("laws: found none, expected at least one")
    by_group = _core.flag("by_group", by_group)
    _motions_only(o, trajectories, model, coverage, dt, piece)
    box = _core.NULL if coverage is None else box_of("coverage", coverage)
    rows = _Rows(*(x if _core.is_nan(x) else float(x) for x in (mu, e)))
    name = _read(rows, data, model, gap, float(piece) if trajectories else None, any_restitution)
    good = lib.crdpy_fit_count(rows.handle)
    if good == 0:
        raise rows.first or ValueError("data: found no rows, expected measured impacts")
    last = max(o.inertia[1], o.offset)
    if last >= lib.crdpy_fit_velocities(rows.handle):
        raise ValueError(f"fitted: found velocity {last + 1}, expected at most {lib.crdpy_fit_velocities(rows.handle)}")
    if rows.bad:
        warnings.warn(f"{len(rows.bad)} of {rows.count} rows are left out; {rows.bad[0]}", RowsLeftOut, stacklevel=2)
    status = lib.crdpy_fit_run(rows.handle, len(pointers), pointers, o, by_group, box, _SAMPLES)
    if status == lib.CRD_ERR_ARGUMENT:
        raise ValueError(f"data: found {good} {'motions' if trajectories else 'impacts'}, too few to fit and to judge by")
    if status:
        raise failure(status, what="fit")
    asked = ",".join(f"{k}={v:g}" for k, v in (coverage or {}).items()).encode()
    text, found = (_core.taken_text(lib.crdpy_fit_print(rows.handle, name.encode("utf-8", "surrogateescape"), asked,
                                                        rows.count, len(rows.bad), as_json)) for as_json in (False, True))
    return Fit(json.loads(found), text.rstrip("\n"), rows.bad)


def _motions_only(o, trajectories, model, coverage, dt, piece):
    """What only motions have, and what they do not."""
    given = not (_core.is_nan(dt) and _core.is_nan(piece))
    if not _core.flag("trajectories", trajectories):
        if given:
            raise ValueError("dt, piece: found no trajectories, expected motions")
        return
    if model is None:
        raise ValueError("trajectories: found no model, expected the mechanism that moves")
    if coverage is not None:
        raise ValueError("coverage: found it with trajectories, expected impacts")
    if o.fitted & ~(1 << PARAMETERS.index("e") | 1 << PARAMETERS.index("mu")):
        raise ValueError("fitted: found other coefficients than e and mu with trajectories")
    if not _core.is_nan(piece):
        _core.number("piece", piece, 1e-12)
    o.timestep = dt if _core.is_nan(dt) else _core.number("dt", dt, 1e-12)


_SAMPLES = 2048  # a row, of sets of outcomes, as the program draws
_GRID, _TOSS_GRID = 20, 8  # values of e and mu

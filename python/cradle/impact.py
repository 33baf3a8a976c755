"""Impact laws: one impact, resolved by each, every answer judged by one verifier."""
from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._core import Path, decode, encode, failure, ffi, lib, view

if TYPE_CHECKING:
    from .problem import ContactProblem

MODES = tuple(decode(lib.crd_coulomb_mode_name(k)) for k in range(4))  # none, separate, stick, slip


class Law(str):
    """The name of an impact law, with what it is."""
    title: str  #: in words
    source: str  #: paper and equations
    dissipative: bool  #: proved never to gain energy, for the coefficients its paper admits


def _laws() -> tuple[Law, ...]:
    found, k = [], 0
    while (law := lib.crd_impact_law_at(k)) != _core.NULL:
        one = Law(decode(law.name))
        one.title, one.source, one.dissipative = decode(law.title), decode(law.source), bool(law.dissipative)
        found.append(one)
        k += 1
    return tuple(found)


#: all laws, in the order in which the program lists them
laws: tuple[Law, ...] = _laws()
_POINTER = {str(law): lib.crd_impact_law_at(k) for k, law in enumerate(laws)}
_DEFAULT = ffi.new("crd_impact_options *", lib.crd_impact_default())


def law_pointer(law):
    try:
        return _POINTER[law]
    except (KeyError, TypeError):
        if not isinstance(law, str):
            raise TypeError(f"law: found {type(law).__name__}, expected the name of a law") from None
        raise ValueError(f"law: found {law!r}, expected one of {', '.join(laws)}") from None


class Solution:
    """One answer of a law. Arrays are read-only views; velocities m/s and rad/s, impulses N s, energies J."""
    __slots__ = ("_s", "_result", "law")
    law: Law

    def __init__(self, result: Result, s):
        self._result, self._s, self.law = result, s, result.law

    def _view(self, field, n):
        return view(self._result._handle, getattr(self._s, field), (n,))

    @property
    def p(self) -> np.ndarray:
        """Impulses (m) in the order of J's rows, N s."""
        return self._view("p", self._result._m)

    @property
    def v_plus(self) -> np.ndarray:
        """Velocity after the impact (nv)."""
        return self._view("v_plus", self._result._p.nv)

    @property
    def u_plus(self) -> np.ndarray:
        """J v_plus (m), m/s."""
        return self._view("u_plus", self._result._m)

    @property
    def work(self) -> np.ndarray:
        """Energy put in by each contact (nc), J; negative is a loss."""
        return self._view("work", self._result._p.nc)

    @property
    def modes(self) -> tuple[str, ...]:
        """Of each contact during the impact: "stick", "slip", "separate" or "none"."""
        return tuple(MODES[self._s.mode[i]] for i in range(self._result._p.nc))

    @property
    def after(self) -> tuple[str, ...]:
        """Of each contact after it: "separate", "slip", or "stick" at rest."""
        return tuple(MODES[self._s.after[i]] for i in range(self._result._p.nc))

    kinetic_before: float = property(lambda self: self._s.kinetic_before, doc="J")
    kinetic_after: float = property(lambda self: self._s.kinetic_after, doc="J")
    residual: float = property(lambda self: self._s.residual, doc="of the law's own equations, scaled")
    label: str = property(lambda self: decode(self._s.label), doc="the law's word for this answer")

    @property
    def energy_ratio(self) -> float:
        """K+/K-; NaN at rest."""
        before = self._s.kinetic_before
        return self._s.kinetic_after / before if before > 0 else _core.nan

    @property
    def check(self) -> dict[str, float | bool]:
        """The verifier's findings: momentum, cone, tension, approach, bilateral, energy_gain (divided by the problem's
        scales), and whether they exceed the tolerance: pulls, penetrates, leaves_cone, gains_energy, breaks_rows."""
        return {name: getattr(self._s.check, name) for name, _ in ffi.typeof("crd_impact_check").fields}

    def __repr__(self):
        label = f" ({self.label})" if self.label else ""
        return f"Solution({self.law}{label}: K+/K- {self.energy_ratio:.6g}, {', '.join(self.modes)})"


class Result(Sequence["Solution"]):
    """A law's answers to a problem: a sequence of Solution, empty where it has none.

    status: "ok", or the verdict ("no solution", "ray", ...); applies: False where the law is not made for this problem,
    which `notes` then say.
    """

    __slots__ = ("problem", "law", "_handle", "_options", "__weakref__")
    problem: ContactProblem
    law: Law

    def __init__(self, problem, law: Law, handle, options):
        self.problem, self.law, self._handle, self._options = problem, law, handle, options

    _r = property(lambda self: self._handle.result)
    _p = property(lambda self: self.problem._p)
    _m = property(lambda self: self.problem._p.nrow + self.problem._p.nb)
    status: str = property(lambda self: _core.status_text(self._r.status), doc='"ok", or the verdict')
    applies: bool = property(lambda self: self._r.status != lib.CRD_ERR_ARGUMENT,
                             doc="False: the law is not made for this problem")
    notes: list[str] = property(lambda self: [decode(self._r.note[i]) for i in range(self._r.nnote)], doc="one sentence each")

    def __len__(self):
        return self._r.count

    def __getitem__(self, which: Any) -> Any:
        n = self._r.count
        if isinstance(which, slice):
            return [self[i] for i in range(*which.indices(n))]
        return Solution(self, self._r.solution[_core.index(f"answer of {self.law}", which, n, f"({self.status})")])

    def __repr__(self):
        return str(SideBySide(self.problem, [self]))

    def _repr_html_(self):
        return SideBySide(self.problem, [self])._repr_html_()

    def __reduce__(self):
        return _resolved_again, (self.problem, str(self.law), self._options)


def _resolved_again(problem, law, options):
    return resolve(problem, law, **options)


class SideBySide(Sequence["Result"]):
    """Laws side by side, a sequence of Result; prints like `cradle impact`."""

    def __init__(self, problem, results):
        self.problem, self._results = problem, results

    def __len__(self):
        return len(self._results)

    def __contains__(self, which: object) -> bool:
        """Whether a law of this name, or this result, is among them."""
        return any(r is which or isinstance(which, str) and r.law == which for r in self._results)

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, str):
            for r in self._results:
                if r.law == which:
                    return r
            raise KeyError(f"law: found {which!r}, expected one of {', '.join(r.law for r in self._results)}")
        if isinstance(which, slice):
            return SideBySide(self.problem, self._results[which])
        return self._results[_core.index("law", which, len(self), "laws")]

    def _arguments(self):
        laws = ffi.new("crd_impact_law *[]", [_POINTER[r.law] for r in self._results])
        handles = ffi.new("crdpy_result *[]", [r._handle for r in self._results])
        options, _ = _options(self.problem, **(self._results[0]._options if self._results else {}))
        return options, len(self._results), ffi.cast("const crd_impact_law *const *", laws), handles, laws

    def to_dict(self) -> dict[str, Any]:
        """The object of `cradle impact --json`."""
        options, n, laws, handles, _ = self._arguments()
        return json.loads(_core.taken_text(lib.crdpy_impact_print(self.problem._handle, options, n, laws, handles,
                                                                  True)))

    def save_page(self, path: Path) -> None:
        """Writes the page that shows them (docs/viewer.md)."""
        options, n, laws, handles, _ = self._arguments()
        err = _core.new_error()
        status = lib.crdpy_impact_page(encode("path", path, path=True), self.problem._handle, options, n, laws, handles,
                                       err)
        if status:
            raise failure(status, err)

    def to_pandas(self):
        """A DataFrame with a row for each answer: law, status, label, energy ratio, residual, and of each contact its
        mode and normal velocity after (m/s)."""
        names, rows = self.problem.contacts.names, []
        contacts = [self.problem._p.contact[i].row for i in range(len(names))]
        for r in self._results:
            for s in r:
                u = s.u_plus
                rows.append({"law": str(r.law), "status": r.status, "label": s.label, "energy_ratio": s.energy_ratio,
                             "residual": s.residual,
                             **{f"{n}.mode": mode for n, mode in zip(names, s.modes)},
                             **{f"{n}.n": u[k] for n, k in zip(names, contacts)}})
        return _core.table({c: [row[c] for row in rows] for c in (rows[0] if rows else {})})

    def __repr__(self):
        options, n, laws, handles, _ = self._arguments()
        return _core.taken_text(lib.crdpy_impact_print(self.problem._handle, options, n, laws, handles,
                                                       False)).rstrip("\n")

    def _repr_html_(self):
        return _core.in_page(self.save_page)


def _options(problem, *, e=None, facets=None, round_cone=None, order=None, rate=None, stiffness=None, exponent=None,
             max_impacts=None, max_solutions=None, tolerance=None):
    """crd_impact_options, and what must live as long."""
    o = ffi.new("crd_impact_options *", _DEFAULT[0])
    kept, nc = [], problem._p.nc
    if e is not None:
        o.e = _core.number("e", e, 0, 1)
    if facets is not None:
        o.facets = _core.count("facets", facets, 4, 256)
        if o.facets % 2:
            raise ValueError(f"facets: found {o.facets}, expected an even number in 4 .. 256")
    if round_cone is not None:
        o.round_cone = _core.flag("round_cone", round_cone)
    if order is not None:
        names = problem.contacts
        places = ffi.new("int[]", [names[c].index for c in order])
        kept.append(places)
        o.order, o.norder = places, len(places)
    for name, value in (("rate", rate), ("stiffness", stiffness)):
        if value is not None:
            a = _core.vector(name, value, nc, "nc").copy()
            if not (a > 0).all():
                raise ValueError(f"{name}: found {a.min():g}, expected positive numbers")
            kept.append(a)
            setattr(o, name, _core.doubles(a))
    if exponent is not None:
        o.exponent = _core.number("exponent", exponent, 0.01)
    for name, value in (("max_impacts", max_impacts), ("max_solutions", max_solutions)):
        if value is not None:
            setattr(o, name, _core.count(name, value, 1, 1000000))
    if tolerance is not None:
        o.tolerance = _core.number("tolerance", tolerance, 0)
    return o, kept


def resolve(problem, law="poisson", **options) -> Result:
    """The answers of one law.

    law: a name or one of cradle.laws. Options, as of `cradle impact`: e (restitution of all contacts), facets and
    round_cone of the friction cone of spatial contacts, order (sequential: names of contacts), rate (routh: relative
    rates, nc), stiffness and exponent (lzb), max_impacts, max_solutions, tolerance.
    """
    pointer = _POINTER.get(law) if type(law) is Law else None
    if pointer is None:
        pointer = law_pointer(law)
        law = next(known for known in laws if known == law)
    o, kept = _options(problem, **options) if options else (_DEFAULT, None)
    r = _resolve(pointer, problem._handle, o, _core.NULL)
    if not r:
        r = _failed(pointer, problem, o, law)
    return Result(problem, law, _gc(r, _drop), options)


def _failed(pointer, problem, o, law):
    """The same once more, for the reason; a signal has left its exception."""
    raised = _core.raised_by_signal()
    if raised is not None:
        raise raised
    status = ffi.new("crd_status *")
    r = _resolve(pointer, problem._handle, o, status)
    if not r:
        raise failure(status[0], what=str(law))
    return r


_resolve, _drop, _gc = lib.crdpy_resolve, lib.crdpy_result_drop, ffi.gc


def resolve_all(problem, **options) -> SideBySide:
    """All laws side by side."""
    return SideBySide(problem, [resolve(problem, law, **options) for law in laws])

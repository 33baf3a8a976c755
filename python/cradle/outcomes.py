"""The set of velocities that an impact can lead to, by sampling [Halm & Posa, section 5]."""
from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._core import Path, decode, encode, failure, ffi, lib, view
from .problem import ContactProblem


def _names(function, n):
    return tuple(decode(function(k)) for k in range(n))


PATTERNS = _names(lib.crd_outcome_pattern_name, lib.CRD_OUTCOME_PATTERNS)
SELECTIONS = _names(lib.crd_outcome_selection_name, lib.CRD_OUTCOME_SELECTIONS)
ENDINGS = _names(lib.crd_outcome_end_name, lib.CRD_OUTCOME_ENDS)


class Hull(NamedTuple):
    """Convex hull of the outcomes in two or three axes (m/s)."""
    axes: tuple[str, ...]
    points: np.ndarray  #: vertices (n, axes); a polygon in order, counter-clockwise in two axes
    faces: np.ndarray  #: triangles (k, 3) of vertex numbers: the surface, or what makes up the polygon
    dim: int  #: -1: no outcomes, 0 a point, 1 a segment, 2 a polygon, 3 a polyhedron
    size: float  #: length, area or volume in its own dimension, (m/s)^dim
    measure: float  #: size where dim is the number of axes, else 0


class Outcomes:
    """Samples of the set, from ContactProblem.outcomes or a file. Velocities m/s and rad/s.

    o["A.n"]: the normal velocity of contact A over the outcomes; "A.t" (planar), "A.t1", "A.t2", "v[3]".
    """

    def __init__(self, problem: ContactProblem, owner, s, options: dict[str, Any] | None):
        #: the problem that was asked
        self.problem: ContactProblem = problem
        self._handle, self._s, self._asked = owner, s, options

    samples: int = property(lambda self: self._s.samples, doc="asked for and computed")
    seed: int = property(lambda self: self._s.options.seed, doc="of the random bounds; the same gives the same bits")
    claim: str = property(lambda self: decode(lib.crd_outcome_claim_name(self._s.claim)),
                     doc='"inner", "truncated", "epsilon-net" or "exact": what it says about the true set')
    at_rest: int = property(lambda self: self._s.at_rest, doc="outcomes with all contact velocities zero")
    terminated: int = property(lambda self: self._s.ended[lib.CRD_OUTCOME_DONE], doc="samples that are outcomes")
    wall_s: float = property(lambda self: self._s.wall_s, doc="seconds of sampling")

    @property
    def energy_ratio(self) -> tuple[float, float]:
        """Least and largest K+/K-."""
        return self._s.energy_ratio.min, self._s.energy_ratio.max

    @property
    def v_plus(self) -> np.ndarray:
        """Velocity at the end of each sample (samples, nv), also of rejected ones; a read-only view."""
        return view(self._handle, self._s.v_plus, (self.samples, self._s.nv))

    @property
    def ending(self) -> np.ndarray:
        """How each sample ended (samples), an index to cradle.outcomes.ENDINGS; only 0, "done", are outcomes."""
        return view(self._handle, self._s.ending, (self.samples,), "|u1")

    @property
    def lcps(self) -> np.ndarray:
        """Complementarity problems solved in each sample (samples)."""
        return view(self._handle, self._s.lcps, (self.samples,), "<u4")

    @property
    def extent(self) -> np.ndarray:
        """Least and largest contact velocity over the outcomes (nrow, 2), in the order of J's rows."""
        return view(self._handle, ffi.cast("double *", self._s.extent), (self._s.nrow, 2))

    @property
    def rejected(self) -> dict[str, int]:
        """Samples that are no outcomes, by the reason."""
        return {name: self._s.ended[k] for k, name in enumerate(ENDINGS) if k != lib.CRD_OUTCOME_DONE}

    # -------------------------------------------------------------------------------------------- axes and hulls

    def _axes(self, names):
        axes = ffi.new("crd_outcome_axis[]", max(len(names), 1))
        for k, name in enumerate(names):
            if lib.crd_outcome_axis_find(self.problem._p, encode("axis", name), axes + k):
                raise KeyError(f"axis: found {name!r}, expected CONTACT.n, CONTACT.t (spatial: .t1, .t2) of "
                               f"{', '.join(self.problem.contacts.names)}, or v[0] .. v[{self._s.nv - 1}]")
        return axes

    def points(self, *names: str) -> np.ndarray:
        """The outcomes in these axes (terminated, len(names)), a copy."""
        axes = self._axes(names)
        arena, point, n = ffi.new("crd_arena *"), ffi.new("double **"), ffi.new("size_t *")
        try:
            status = lib.crd_outcome_points(self.problem._p, ffi.addressof(self._s), axes, len(names), arena, point, _core.NULL, n)
            if status:
                raise failure(status)
            if n[0] == 0:
                return np.zeros((0, len(names)))
            return np.frombuffer(ffi.buffer(point[0], 8 * n[0] * len(names))).reshape(n[0], len(names)).copy()
        finally:
            lib.crd_arena_free(arena)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.points(name)[:, 0]

    def default_axes(self) -> tuple[str, ...]:
        """The axes that people look at first, two where the mechanism has so many."""
        axes = ffi.new("crd_outcome_axis[2]")
        n = lib.crd_outcome_axis_default(self.problem._p, axes)
        return tuple(decode(axes[k].name) for k in range(n))

    def hull(self, axes: list[str] | tuple[str, ...] | None = None) -> Hull:
        """The convex hull in two or three axes; None: the default ones."""
        if axes is not None and not isinstance(axes, (list, tuple)):
            raise TypeError(f"axes: found {type(axes).__name__}, expected a list of names")
        axes = self.default_axes() if axes is None else tuple(axes)
        if len(axes) not in (2, 3):
            raise ValueError(f"axes: found {len(axes)}, expected two or three")
        points = np.ascontiguousarray(self.points(*axes))
        hull = ffi.new("crd_outcome_hull *")
        try:
            status = lib.crd_outcome_hull_make(_core.doubles(points) if points.size else _core.NULL, len(points),
                                               len(axes), lib.crd_outcome_rest_speed(
                                                   self.problem._p, ffi.addressof(self._s, "options")), hull)
            if status:
                raise failure(status, what="hull")

            def copied(pointer, shape, kind):
                n = int(np.prod(shape))
                return (np.frombuffer(ffi.buffer(pointer, n * ffi.sizeof(ffi.typeof(pointer).item)), kind)
                        if n else np.zeros(0, kind)).reshape(shape).copy()
            return Hull(axes, copied(hull.point, (hull.npoint, len(axes)), "f8"),
                        copied(hull.face, (hull.nface, 3), "i4"), hull.dim, hull.size, hull.measure)
        finally:
            lib.crd_outcome_hull_free(hull)

    def plot(self, *axes: str, ax=None, laws: bool = True):
        """Outcomes, their hull and the answers of the laws in two axes, by matplotlib. Returns the axes drawn on."""
        from ._plot import plot_outcomes
        return plot_outcomes(self, axes or self.default_axes(), ax, _core.flag("laws", laws))

    # -------------------------------------------------------------------------------------------- how it looks

    def _print(self, as_json):
        # axes are checked here, so that the program's printer has nothing to complain about
        return _core.taken_text(lib.crdpy_outcomes_print(self.problem._handle, ffi.addressof(self._s), _core.NULL,
                                                         as_json))

    def to_dict(self) -> dict[str, Any]:
        """The object of `cradle outcomes --json`."""
        return json.loads(self._print(True))

    def __repr__(self):
        return self._print(False).rstrip("\n")

    def save(self, path: Path) -> None:
        """Writes an HDF5 file with the samples and everything needed to repeat them (docs/outcomes.md)."""
        if ffi.typeof(self._handle) is not _OUTCOMES:
            raise ValueError("found outcomes read from a file, expected ones sampled here")
        err = _core.new_error()
        status = lib.crdpy_outcomes_write(encode("path", path, path=True), self.problem._handle, self._handle, err)
        if status:
            raise failure(status, err)

    def save_page(self, path: Path) -> None:
        """Writes the page that shows the set (docs/viewer.md)."""
        err = _core.new_error()
        status = lib.crdpy_outcomes_page(encode("path", path, path=True), self.problem._handle,
                                         ffi.addressof(self._s), err)
        if status:
            raise failure(status, err)

    def _repr_html_(self):
        return _core.in_page(self.save_page)

    def __reduce__(self):
        if self._asked is None:
            raise TypeError("outcomes read from a file are pickled by their path: cradle.open(path)")
        return _sampled_again, (self.problem, self._asked)


_OUTCOMES = ffi.typeof("crdpy_outcomes *")


def _sampled_again(problem, asked):
    return sample(problem, **asked)


def _one_of(name, value, known):
    if _core.text(name, value) not in known:
        raise ValueError(f"{name}: found {value!r}, expected one of {', '.join(known)}")
    return known.index(value)


def box_of(argument: str, widths):
    """crd_outcome_box from half widths {"mu":, "e":, "v":} and {"draws":}."""
    if not isinstance(widths, dict):
        raise TypeError(f"{argument}: found {type(widths).__name__}, expected a dict")
    box = ffi.new("crd_outcome_box *", lib.crd_outcome_box_default())
    for name, value in widths.items():
        if name not in ("mu", "e", "v", "draws"):
            raise ValueError(f"{argument}: found {name!r}, expected mu, e, v or draws")
        setattr(box, name, _core.count(argument, value, 1) if name == "draws" else _core.number(argument, value, 0))
    return box


def sample(problem: ContactProblem, samples: int = 2**16, seed: int = 0, *, threads: int = 0, first: int = 0,
           h: float = 0.0, steps: int = 0, facets: int = 8, pattern: str = "uniform", selection: str = "auto",
           restitution: bool = False, epsilon: float = 0.0, delta: float = 0.01, box: dict[str, float] | None = None) -> Outcomes:
    """Samples the set; the same seed gives the same bits for any number of threads (0: as many as the machine has).

    first: number of the first sample. h: largest normal impulse of a contact in a step, N s (0: what stops the contacts);
    steps: before a sample is given up (0: 100, more with restitution). pattern: how impulses are drawn, one of
    PATTERNS; selection: of several solutions of a step, one of SELECTIONS. restitution: contacts rebound with their e.
    epsilon, delta: Algorithm 2 with its claim. box: half widths {"mu":, "e":, "v":, "draws":} within which the problem's
    numbers are known.
    """
    asked = {k: v for k, v in locals().items() if k != "problem"}
    o = ffi.new("crd_outcome_options *", lib.crd_outcome_default())
    o.samples = _core.count("samples", samples, 1, 2**40)
    o.seed = _core.count("seed", seed, 0, 2**64 - 1)
    o.first = _core.count("first", first, 0, 2**63)
    o.threads = _core.count("threads", threads, 0, 4096)
    o.h, o.steps = _core.number("h", h, 0), _core.count("steps", steps)
    o.facets = _core.count("facets", facets, 4, 256)
    o.pattern, o.selection = _one_of("pattern", pattern, PATTERNS), _one_of("selection", selection, SELECTIONS)
    o.restitution = _core.flag("restitution", restitution)
    o.epsilon, o.delta = _core.number("epsilon", epsilon, 0), _core.number("delta", delta, 0, 1)
    about = _core.NULL if box is None else box_of("box", box)
    if problem.nc == 0:
        raise ValueError("found a problem without contacts, expected one with contacts")
    out = ffi.new("crdpy_outcomes **")
    status = lib.crdpy_outcomes_sample(problem._handle, about, o, out)
    if status:
        raise failure(status, what="outcomes")
    return Outcomes(problem, ffi.gc(out[0], lib.crdpy_outcomes_drop), out[0].set, asked)


class OutcomeFile:
    """A file of outcomes as read: a set, or one for each value of a parameter."""

    def __init__(self, pointer):
        self._handle = ffi.gc(pointer, lib.crdpy_outcome_file_drop)
        f = pointer
        self.input, self.version = decode(f.source.input), decode(f.version)
        self.parameter = None if f.source.parameter == _core.NULL else decode(f.source.parameter)
        self.values = [f.value[i] for i in range(f.count)]
        self.sets = [self._one(i) for i in range(f.count)]

    def _one(self, i) -> Outcomes:
        out = ffi.new("crdpy_problem **")
        status = lib.crdpy_problem_copy(self._handle.problem[i], self._handle.source.input, out)
        if status:
            raise failure(status)
        return Outcomes(ContactProblem._take(out[0], None, _core.nan), self._handle, self._handle.set[i], None)

    def __len__(self):
        return len(self.sets)

    def __getitem__(self, i) -> Outcomes:
        return self.sets[i]

    def __repr__(self):
        if self.parameter is None:
            return repr(self.sets[0])
        return f"{self.input}: {len(self)} sets of outcomes over {self.parameter} = {self.values}"

"""Contact problems, the hub: M (v+ - v) = J' p + impulse, u = J v, W = J M^-1 J'."""
from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._core import Path, decode, encode, failure, ffi, lib, nan, view


if TYPE_CHECKING:
    from .check import Check
    from .impact import Result, SideBySide
    from .model import Model
    from .outcomes import Outcomes


class Contact:
    """A contact of a problem. Lengths m, velocities m/s; arrays are read-only views."""
    __slots__ = ("_c", "_handle", "index")
    index: int

    def __init__(self, handle, c, index):
        self._handle, self._c, self.index = handle, c, index

    name: str = property(lambda self: decode(self._c.name), doc="as in messages and JSON")
    row: int = property(lambda self: self._c.row, doc="first row in J: the normal; tangents follow")
    ntangent: int = property(lambda self: self._c.ntangent, doc="0: frictionless, 1: planar, 2")
    mu: float = property(lambda self: self._c.mu, doc="coefficient of sliding friction")
    mu_static: float = property(lambda self: self._c.mu_static, doc="coefficient of static friction")
    e: float = property(lambda self: self._c.e, doc="normal restitution")
    e_t: float = property(lambda self: self._c.e_t, doc="tangential restitution")
    gap: float = property(lambda self: self._c.gap, doc="m; of a limit its unit")
    body1: int = property(lambda self: self._c.body1, doc="id of the body that the normal pushes, -1: no model")
    body2: int = property(lambda self: self._c.body2, doc="id of the other body, 0: the world")
    joint: int = property(lambda self: self._c.joint, doc="the joint whose limit this is, -1: bodies touch")

    def _array(self, field, shape):
        return view(self._handle, ffi.addressof(self._c, field), shape)

    @property
    def point(self) -> np.ndarray:
        """World point (3), m."""
        return self._array("point", (3,))

    @property
    def normal(self) -> np.ndarray:
        """World unit vector (3), from body2 to body1."""
        return self._array("normal", (3,))

    @property
    def tangent(self) -> np.ndarray:
        """World unit vectors (2 x 3), of which ntangent count."""
        return self._array("tangent", (2, 3))

    def __repr__(self):
        return (f"Contact({self.name!r}, mu={self.mu:g}, e={self.e:g}, gap={self.gap:.3g}, point={self.point}, "
                f"normal={self.normal})")


class Contacts:
    """The contacts of a problem: by number or by name, in the order of J's rows."""
    __slots__ = ("_handle", "_p", "_names")

    def __init__(self, handle, p):
        self._handle, self._p, self._names = handle, p, None

    @property
    def names(self) -> list[str]:
        """In the order of J's rows."""
        if self._names is None:
            self._names = [decode(self._p.contact[i].name) for i in range(self._p.nc)]
        return list(self._names)

    def __len__(self):
        return self._p.nc

    def __iter__(self) -> Iterator[Contact]:
        return (self[i] for i in range(len(self)))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.names

    def __getitem__(self, which: int | str) -> Contact:
        if isinstance(which, str):
            names = self.names
            if which not in names:
                raise KeyError(f"contact: found {which!r}, expected one of {', '.join(names) or 'none'}")
            which = names.index(which)
        index = _core.index("contact", which, len(self), "contacts")
        return Contact(self._handle, self._p.contact[index], index)

    @property
    def array(self) -> np.ndarray:
        """All of them as one structured array (nc), a read-only view: fields of crd_contact without the name."""
        return _core.structs(self._handle, self._p.contact, self._p.nc, "crd_contact")

    def to_pandas(self):
        """A DataFrame: name, mu, e, gap (m), point, normal, velocity before (m/s) and so on, a row a contact."""
        a, n = self.array, len(self)
        columns = {"name": self.names}
        for field in ("mu", "mu_static", "e", "e_t", "gap", "body1", "body2", "joint", "ntangent", "row"):
            columns[field] = a[field]
        for field in ("point", "normal"):
            for k, axis in enumerate("xyz"):
                columns[f"{field}_{axis}"] = a[field][:, k]
        columns["u_n"] = [self._p.u[self._p.contact[i].row] for i in range(n)]
        return _core.table(columns)

    def __repr__(self):
        return "\n".join(map(repr, self)) or "no contacts"


def _array(field: str, doc: str, *shape: str):
    """A property: a read-only view of a problem's array, None where it has none."""
    def get(self):
        cache = self._views
        if field not in cache:
            p = self._p
            cache[field] = view(self._handle, getattr(p, field), tuple(_size(p, s) for s in shape))
        return cache[field]
    return property(get, doc=doc)


def _size(p, what: str) -> int:
    return p.nrow + p.nb if what == "m" else getattr(p, what)


class ContactProblem:
    """A contact problem at one configuration. From a model (Model.contact_problem), a file, or numbers.

    source: path of an impact problem (JSON), or its content as a dict: {"M": [[...]], "v": [...], "contacts": [{"name":
    "A", "n": [...], "t": [[...]], "mu": 1, "e": 0}]} with arrays allowed for lists (docs/problem-file.md).

    nv velocities, nc contacts, m = nrow + nb rows in the order: of each contact its normal and its tangents, then nb
    bilateral rows. All arrays are read-only views on the library's memory, which lives as long as any of them.
    """

    def __init__(self, source: Path | dict[str, Any], *, any_restitution: bool = False):
        any_restitution = _core.flag("any_restitution", any_restitution)
        if isinstance(source, dict):
            text = json.dumps({"cradle": "impact-problem/1", **source}, default=listed).encode()
            name = b"problem"
        else:
            name, text = encode("source", source, path=True), b""
        self._read(name, text, any_restitution)

    def _read(self, name: bytes, text: bytes, any_restitution: bool):
        out, err = ffi.new("crdpy_problem **"), _core.new_error()
        data = ffi.from_buffer("char[]", text) if text else _core.NULL
        status = lib.crdpy_problem_read(name, data, len(text), any_restitution, out, err)
        if status:
            raise failure(status, err)
        self.__dict__.update(ContactProblem._take(out[0], None, nan).__dict__)

    @classmethod
    def _take(cls, pointer, model, distance) -> ContactProblem:
        self = cls.__new__(cls)
        self._handle = _gc(pointer, _drop)
        self._p = pointer.problem
        self._model, self._distance, self._views = model, distance, {}
        return self

    nv: int = property(lambda self: self._p.nv, doc="velocities")
    nc: int = property(lambda self: self._p.nc, doc="contacts")
    nrow: int = property(lambda self: self._p.nrow, doc="contact rows")
    nb: int = property(lambda self: self._p.nb, doc="bilateral rows")
    kinetic: float = property(lambda self: self._p.kinetic, doc="1/2 v' M v, J")
    kinetic_free: float = property(lambda self: self._p.kinetic_free, doc="after the external impulse, J")
    input: str = property(lambda self: decode(self._handle.input), doc='as the file or model was named; "problem" without one')
    model: Model | None = property(lambda self: self._model, doc="the Model behind it, or None")

    M: np.ndarray = _array("M", "mass matrix (nv, nv)", "nv", "nv")
    J: np.ndarray = _array("J", "rows of the contacts, then bilateral ones (m, nv)", "m", "nv")
    X: np.ndarray = _array("X", "row i is M^-1 J_i' (m, nv)", "m", "nv")
    W: np.ndarray = _array("W", "Delassus operator J M^-1 J' (m, m); JSON: delassus", "m", "m")
    v: np.ndarray = _array("v", "velocity before the impact (nv), m/s and rad/s; JSON: v_minus", "nv")
    u: np.ndarray = _array("u", "J v (m), m/s", "m")
    v_free: np.ndarray = _array("v_free", "v + M^-1 impulse (nv)", "nv")
    u_free: np.ndarray = _array("u_free", "J v_free (m), m/s", "m")
    impulse: np.ndarray = _array("impulse", "external generalised impulse (nv), N s", "nv")
    residual: np.ndarray = _array("residual", "position error of the bilateral rows (nb), m or rad", "nb")
    restitution_matrix: np.ndarray | None = _array("restitution_matrix", "(nc, nc), None where none is given", "nc", "nc")
    delassus: np.ndarray = property(lambda self: self.W, doc="W (m, m), as the program's JSON calls it")
    v_minus: np.ndarray = property(lambda self: self.v, doc="v (nv), as the program's JSON calls it")

    @property
    def contacts(self) -> Contacts:
        """The contacts, by number or name."""
        if "contacts" not in self._views:
            self._views["contacts"] = Contacts(self._handle, self._p)
        return self._views["contacts"]

    # -------------------------------------------------------------------------------------------- questions

    def resolve(self, law: str = "poisson", **options: Any) -> Result:
        """The answers of an impact law (a name or one of cradle.laws), a sequence of Solution. See impact.resolve."""
        from .impact import resolve
        return resolve(self, law, **options)

    def resolve_all(self, **options: Any) -> SideBySide:
        """All laws side by side; prints like `cradle impact`."""
        from .impact import resolve_all
        return resolve_all(self, **options)

    def outcomes(self, samples: int = 2**16, seed: int = 0, **options: Any) -> Outcomes:
        """The set of velocities after the impact, by sampling. See outcomes.sample."""
        from .outcomes import sample
        return sample(self, samples, seed, **options)

    def check(self, **options: Any) -> Check:
        """Are restitution and friction consistent here, and is contact well-posed? See check.check."""
        from .check import check
        return check(self, **options)

    # -------------------------------------------------------------------------------------------- how it looks

    def to_json(self) -> str:
        """The problem as a file (docs/problem-file.md), every number exact."""
        err = _core.new_error()
        text = lib.crdpy_problem_text(self._handle, err)
        if text == _core.NULL:
            raise failure(err.status or lib.CRD_ERR_MEMORY, err)
        return _core.taken_text(text)

    def save(self, path: Path) -> None:
        """Writes it as such a file, whole or not at all."""
        err = _core.new_error()
        status = lib.crd_io_write_problem(encode("path", path, path=True), self._p, err)
        if status:
            raise failure(status, err)

    def __str__(self):
        return _core.taken_text(lib.crdpy_problem_print(self._handle)).rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self):
        return self.resolve_all()._repr_html_() if self.nc else None

    def __reduce__(self):
        if self._model is not None:
            h = self._handle
            state = (view(h, h.qpos, (self._model.nq,)).copy(), view(h, h.qvel, (self._model.nv,)).copy())
            return _again, (self._model, *state, h.mu, h.e, self._distance)
        return _from_text, (self.to_json(), self.input)


_gc, _drop = ffi.gc, lib.crdpy_problem_drop


def _again(model, qpos, qvel, mu, e, distance):
    return model.contact_problem(qpos, qvel, mu=mu, e=e, distance=distance)


def _from_text(text, input):
    self = ContactProblem.__new__(ContactProblem)
    self._read(encode("input", input), text.encode(), True)
    return self


def listed(value):
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"source: found {type(value).__name__}, expected numbers, lists, arrays and texts")

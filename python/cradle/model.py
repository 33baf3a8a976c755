"""Mechanisms: read from MJCF, URDF or a built-in example, and their contact problems."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from . import _core
from ._core import F8, ArrayLike, Path, decode, doubles, encode, failure, ffi, lib, nan, view
from .problem import ContactProblem


class Ignored(NamedTuple):
    """A thing in the file that the model does not contain."""
    element: str
    attribute: str | None
    name: str
    file: str
    line: int
    reason: str
    kind: str  #: "no effect", "left out" or "unknown"; the last two with lenient only


class Key:
    """A stored state of the model: `time` (s), `qpos` (nq), `qvel` (nv), `act` (nact), `ctrl` (nu); read-only arrays."""
    __slots__ = ("name", "time", "qpos", "qvel", "act", "ctrl")
    name: str
    time: float
    qpos: np.ndarray
    qvel: np.ndarray
    act: np.ndarray
    ctrl: np.ndarray

    def __init__(self, model: Model, index: int):
        m, handle = model._m, model._handle
        key = m.key[index]
        self.name, self.time = decode(key.name), key.time

        def array(pointer, n, other):
            if pointer != _core.NULL:
                return view(handle, pointer, (n,))
            a = np.zeros(n) if other is None else view(handle, other, (n,))
            a.flags.writeable = False
            return a
        self.qpos = array(key.qpos, m.nq, m.qpos0)
        self.qvel = array(key.qvel, m.nv, None)
        self.act = array(key.act, m.nact, None)
        self.ctrl = array(key.ctrl, m.nactuator, None)

    def __repr__(self):
        return f"Key({self.name!r}, time={self.time:g}, qpos={self.qpos}, qvel={self.qvel})"


_KINDS = ("no effect", "left out", "unknown")
_FIND = {"body": "nbody", "joint": "njoint", "geom": "ngeom", "site": "nsite", "actuator": "nactuator",
         "tendon": "ntendon", "sensor": "nsensor", "key": "nkey", "mesh": "nmesh", "loop": "nloop", "pair": "npair"}


def _size(field: str, doc: str):
    """A property: a number of the model."""
    return property(lambda self: getattr(self._m, field), doc=doc)


def _friction(name, value, now) -> np.ndarray:
    """The three numbers of friction, of which only the first may be given."""
    if np.ndim(value) == 0:
        return np.array([_core.number(name, value), now[1], now[2]])
    return _core.vector(name, value, 3)


def _tuple(name, value, n, what):
    if not isinstance(value, (tuple, list)) or len(value) != n:
        raise TypeError(f"{name}: found {type(value).__name__}, expected a tuple of {what}")
    return value


# What each word of `variant` changes, and the call that does it: (setter, arguments).

def _set_mass(m, i, name, value):
    return lib.crd_model_set_mass, i, _core.number(name, value)


def _set_inertial(m, i, name, value):
    mass, pos, quat, moment = _tuple(name, value, 4, "mass, centre of mass, quaternion, moments")
    return (lib.crd_model_set_inertial, i, _core.number(f"{name}: mass", mass),
            *(doubles(_core.vector(f"{name}: {what}", a, n))
              for what, a, n in (("centre of mass", pos, 3), ("quaternion", quat, 4), ("moments", moment, 3))))


def _set_friction(m, i, name, value):
    return lib.crd_model_set_friction, i, doubles(_friction(name, value, m._m.geom[i].friction))


def _set_restitution(m, i, name, value):
    return lib.crd_model_set_restitution, i, _core.number(name, value)


def _set_pair(m, i, name, value):
    friction, e = _tuple(name, value, 2, "friction, restitution")
    return (lib.crd_model_set_pair, i, doubles(_friction(f"{name}: friction", friction, m._m.pair[i].friction)),
            _core.number(f"{name}: restitution", e))


def _set_damping(m, i, name, value):
    return lib.crd_model_set_damping, i, _core.number(name, value)


def _parameters(name, value, now):
    given, most = np.atleast_1d(np.asarray(value)), lib.CRD_FORCE_PARAMETERS
    if given.ndim > 1 or not 1 <= given.size <= most:
        raise ValueError(f"{name}: found shape {given.shape}, expected up to {most} numbers")
    given = _core.vector(name, given, given.size)
    return doubles(np.concatenate([given, list(now)[given.size:]]))


def _set_gain(m, i, name, value):
    return lib.crd_model_set_gain, i, _parameters(name, value, m._m.actuator[i].gain), _core.NULL


def _set_bias(m, i, name, value):
    return lib.crd_model_set_gain, i, _core.NULL, _parameters(name, value, m._m.actuator[i].bias)


_VARIED = {"mass": ("body", _set_mass), "inertial": ("body", _set_inertial), "friction": ("geom", _set_friction),
           "restitution": ("geom", _set_restitution), "pair": ("pair", _set_pair), "damping": ("joint", _set_damping),
           "gain": ("actuator", _set_gain), "bias": ("actuator", _set_bias)}


class Model:
    """A mechanism, constant once read; any number of threads and simulations may share it.

    path: an MJCF or URDF file, or "@name[:n]", a built-in example (`cradle example` lists them).
    lenient: leave out what would change the physics, and list it in `ignored`, instead of refusing the file.
    allow_outside: includes and meshes may lie outside the folder of the model's file.
    package_path: folders searched for package://NAME/... (URDF).

    A file that is refused raises InputError with `file` and `line`.
    """
    #: numbers of coordinates, velocities, actuators, activations and sensor values
    nq: int
    nv: int
    nu: int
    nact: int
    nsensordata: int
    #: everything in the file that the model does not contain
    ignored: list[Ignored]

    def __init__(self, path: Path, *, lenient: bool = False, allow_outside: bool = False,
                 package_path: Sequence[Path] = ()):
        self._open(encode("path", path, path=True), None, lenient, allow_outside, package_path)

    @classmethod
    def from_text(cls, text: str, name: str = "model.xml", *, lenient: bool = False, allow_outside: bool = False,
                  package_path: Sequence[Path] = ()) -> Model:
        """The model in the text of an MJCF or URDF file. `name` stands for the file in messages, and its folder is
        where includes and meshes are looked for."""
        self = cls.__new__(cls)
        self._open(encode("name", name, path=True), encode("text", text), lenient, allow_outside, package_path)
        return self

    def _open(self, name, text, lenient, allow_outside, package_path):
        options = ffi.new("crd_read_options *", lib.crd_io_read_default())
        options.lenient = _core.flag("lenient", lenient)
        options.allow_outside = _core.flag("allow_outside", allow_outside)
        if isinstance(package_path, (str, bytes)):
            raise TypeError("package_path: found one text, expected a list of folders")
        folders = [ffi.new("char[]", encode("package_path", p, path=True)) for p in package_path]
        listed = ffi.new("char *[]", folders)
        options.package_path, options.npackage_path = ffi.cast("const char *const *", listed), len(folders)
        out, err = ffi.new("crdpy_model **"), _core.new_error()
        data = _core.NULL if text is None else ffi.from_buffer("char[]", text) if text else b""
        status = lib.crdpy_model_read(name, data, len(text or b""), options, out, err)
        if status:
            raise failure(status, err)
        self._take(out[0], None)

    def _take(self, pointer, ignored):
        self._handle = ffi.gc(pointer, lib.crdpy_model_drop)
        self._origin = None  # of a variant: its base, and what it changes
        m = self._m = pointer.model
        self.nq, self.nv, self.nu, self.nact, self.nsensordata = m.nq, m.nv, m.nactuator, m.nact, m.nsensordata
        if ignored is None:
            report = pointer.report
            ignored = [Ignored(decode(i.element), None if i.attribute == _core.NULL else decode(i.attribute),
                               decode(i.name), decode(i.file), i.line, decode(i.reason), _KINDS[i.kind])
                       for i in (report.item[k] for k in range(report.count))]
        self.ignored = ignored

    # -------------------------------------------------------------------------------------------- what it is

    @property
    def input(self) -> str:
        """As the file or example was named."""
        return decode(self._handle.input)

    @property
    def name(self) -> str:
        """As the file calls the mechanism."""
        return decode(self._m.name)

    @property
    def files(self) -> dict[str, bytes]:
        """The files it was read from, main file first, named relative to the folder they have in common."""
        return {decode(f.name): bytes(ffi.buffer(f.data, f.size))
                for f in (self._handle.file[i] for i in range(self._handle.nfile))}

    nbody: int = _size("nbody", "bodies, the world is 0")
    njoint: int = _size("njoint", "joints")
    ngeom: int = _size("ngeom", "geoms")
    nsite: int = _size("nsite", "sites")
    nloop: int = _size("nloop", "loops")
    ntendon: int = _size("ntendon", "tendons")
    nsensor: int = _size("nsensor", "sensors")
    nkey: int = _size("nkey", "keyframes")
    mass: float = _size("mass", "of all bodies that move, kg")
    timestep: float = _size("timestep", "s")

    @property
    def qpos0(self) -> np.ndarray:
        """The drawn position (nq), m and rad."""
        return view(self._handle, self._m.qpos0, (self.nq,))

    @property
    def gravity(self) -> np.ndarray:
        """m/s^2, world axes (3)."""
        return view(self._handle, ffi.addressof(self._m[0], "gravity"), (3,))

    def names(self, kind: str) -> list[str]:
        """Names of the objects of a kind, in the order of their ids: "body" (0 is the world), "joint", "geom", "site",
        "actuator", "tendon", "sensor", "key", "mesh", "loop", "pair"; "" where one has none."""
        if _core.text("kind", kind) not in _FIND:
            raise ValueError(f"kind: found {kind!r}, expected one of {', '.join(_FIND)}")
        items = getattr(self._m, kind)
        return [decode(items[i].name) for i in range(getattr(self._m, _FIND[kind]))]

    def find(self, kind: str, name: str) -> int:
        """The id of an object by its name; KeyError with the names there are."""
        known = self.names(kind)
        found = getattr(lib, "crd_model_find_" + kind)(self._m, encode("name", name))
        if found < 0:
            raise KeyError(f"{kind}: found {name!r}, expected one of {', '.join(k for k in known if k) or 'none'}")
        return found

    def key(self, name: str | int = 0) -> Key:
        """A keyframe by name, or by number from 0."""
        if isinstance(name, str):
            return Key(self, self.find("key", name))
        index = _core.count("name", name, 0, max(self._m.nkey - 1, 0))
        if self._m.nkey == 0:
            raise KeyError("name: the model has no keyframes")
        return Key(self, index)

    @property
    def keys(self) -> list[Key]:
        """All keyframes."""
        return [Key(self, i) for i in range(self._m.nkey)]

    # -------------------------------------------------------------------------------------------- variants

    def variant(self, *, mass: Mapping[int | str, float] | None = None,
                inertial: Mapping[int | str, tuple[float, ArrayLike, ArrayLike, ArrayLike]] | None = None,
                friction: Mapping[int | str, ArrayLike] | None = None, restitution: Mapping[int | str, float] | None = None,
                pair: Mapping[int | str, tuple[ArrayLike, float]] | None = None, damping: Mapping[int | str, float] | None = None,
                gain: Mapping[int | str, ArrayLike] | None = None, bias: Mapping[int | str, ArrayLike] | None = None,
                gravity: ArrayLike | None = None) -> Model:
        """A model with other numbers, which shares everything else with this one and costs some kilobytes. Of each kind
        {name or id: numbers}; what is nonsense raises InputError or ValueError with the name.

        mass: of bodies, kg; their inertia grows with it. inertial: of bodies, (mass (kg), centre of mass (3, m), principal
        axes as a quaternion (4), principal moments (3, kg m^2)) in the body's frame. friction: of geoms, sliding, or sliding,
        torsional and rolling (3). restitution: of geoms, 0 to 1. pair: of stated pairs, (friction, restitution). damping: of
        joints, N s/m or N m s/rad. gain, bias: of actuators, the first of their up to 9 parameters (MJCF gainprm, biasprm);
        the others stay. gravity: (3), m/s^2.
        """
        asked = {name: value for name, value in dict(mass=mass, inertial=inertial, friction=friction, restitution=restitution,
                                                     pair=pair, damping=damping, gain=gain, bias=bias, gravity=gravity).items()
                 if value is not None}
        out, err = ffi.new("crdpy_model **"), _core.new_error()
        status = lib.crdpy_model_variant(self._handle, out, err)
        if status:
            raise failure(status, err)
        made = Model.__new__(Model)
        made._take(out[0], self.ignored)
        kept = {}
        for what, numbers in asked.items():
            kept[what] = made._set_gravity(numbers) if what == "gravity" else made._set_each(what, numbers)
        made._origin = self, kept
        return made

    def _set_gravity(self, value):
        g = _core.vector("gravity", value, 3)
        self._done(lib.crd_model_set_gravity, doubles(g))
        return g.copy()

    def _set_each(self, what, numbers):
        if not isinstance(numbers, Mapping):
            raise TypeError(f"{what}: found {type(numbers).__name__}, expected a dict of names or ids and numbers")
        kind, change = _VARIED[what]
        kept = {}
        for key, value in numbers.items():
            i = self.find(kind, key) if isinstance(key, str) else _core.count(
                what, key, 0, getattr(self._m, _FIND[kind]) - 1)
            self._done(*change(self, i, f"{what}[{key!r}]", value))
            kept[i] = value
        return kept

    def _done(self, setter, *arguments):
        err = _core.new_error()
        status = setter(self._m, *arguments, err)
        if status:
            raise failure(status, err)

    # -------------------------------------------------------------------------------------------- its problems

    def contact_problem(self, qpos: ArrayLike | None = None, qvel: ArrayLike | None = None, *, mu: float = nan,
                        e: float = nan, distance: float = 1e-6) -> ContactProblem:
        """The contact problem at a state: contacts, J, M, W = J M^-1 J', u = J v.

        qpos: (nq), m and rad; None: the drawn position. qvel: (nv), m/s and rad/s; None: at rest.
        mu, e: friction and restitution of all contacts; NaN: those of the geoms and stated pairs.
        distance: m; points with at most this gap are contacts.
        """
        q = qpos
        if type(q) is not np.ndarray or q.dtype is not F8 or q.shape != (self.nq,) or not q.flags.c_contiguous:
            q = _core.unchecked("qpos", self.qpos0 if q is None else q, self.nq, "nq")
        v = qvel
        if type(v) is not np.ndarray or v.dtype is not F8 or v.shape != (self.nv,) or not v.flags.c_contiguous:
            v = _core.unchecked("qvel", np.zeros(self.nv) if v is None else v, self.nv, "nv")
        if type(mu) is not float or type(e) is not float or type(distance) is not float \
                or not (mu >= 0 or mu != mu) or not (0 <= e <= 1 or e != e) or not 0 <= distance < _core.LARGE \
                or mu > _core.LARGE:
            mu, e, distance = _check_coefficients(mu, e, distance)
        p = _problem_at(self._handle, _from_buffer(_DOUBLES, q), _from_buffer(_DOUBLES, v), mu, e, distance, _AT_LIMIT,
                        _NULL)
        if not p:
            p = self._problem_failed(q, v, mu, e, distance)
        return ContactProblem._take(p, self, distance)

    def _problem_failed(self, q, v, mu, e, distance):
        """The same once more, for the message."""
        _core.finite("qpos", q), _core.finite("qvel", v)
        err = _core.new_error()
        p = lib.crdpy_problem_at(self._handle, doubles(q), doubles(v), mu, e, distance, _AT_LIMIT, err)
        if not p:
            raise failure(err.status, err)
        return p

    # -------------------------------------------------------------------------------------------- how it looks

    def __str__(self):
        return _core.taken_text(lib.crdpy_model_print(self._handle)).rstrip("\n")

    __repr__ = __str__

    def __reduce__(self):
        if self._origin is not None:
            return _varied, self._origin
        formulation = "tree"
        return _model_from_files, (self.input, self.files, bool(self._handle.lenient), formulation,
                                   [tuple(i) for i in self.ignored])


_DOUBLES = ffi.typeof("double[]")
_AT_LIMIT = lib.crd_contact_default().limit_distance
_from_buffer, _problem_at, _NULL = ffi.from_buffer, lib.crdpy_problem_at, _core.NULL


def _check_coefficients(mu, e, distance):
    mu = mu if _core.is_nan(mu) else _core.number("mu", mu, 0)
    e = e if _core.is_nan(e) else _core.number("e", e, 0, 1)
    return float(mu), float(e), _core.number("distance", distance, 0, _core.LARGE)


def _varied(base: Model, changes: dict) -> Model:
    return base.variant(**changes)


def _model_from_files(input: str, files: dict, lenient: bool, formulation: str, ignored) -> Model:
    """A model out of a pickle or a trace."""
    names = [ffi.new("char[]", encode("name", n)) for n in files]
    data = [ffi.from_buffer("char[]", d) if d else ffi.new("char[1]") for d in files.values()]
    items = ffi.new("crd_source_file[]", [{"name": n, "data": d, "size": len(d)} for n, d in zip(names, data)])
    out, err = ffi.new("crdpy_model **"), _core.new_error()
    status = lib.crdpy_model_from_files(encode("input", input), len(files), items, lenient,
                                        ffi.new("char[]", formulation.encode()), out, err)
    if status:
        raise failure(status, err)
    self = Model.__new__(Model)
    self._take(out[0], [Ignored(*i) for i in ignored])
    return self

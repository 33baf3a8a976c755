"""Simulations, driven step by step or run and recorded."""
from __future__ import annotations

import warnings

import numpy as np

from . import _core
from ._core import ArrayLike, decode, doubles, encode, failure, ffi, lib, nan, view
from .impact import law_pointer
from .model import Model
from .trace import Trace, counters_dict

INTEGRATORS = ("rk4", "euler", "midpoint", "event", "moreau")
_NUMBERS = {"mu": (0, 1e300), "e": (0, 1), "gap_tolerance": (0, 1), "loop_tolerance": (0, 1e300),
            "accuracy": (0, 1e300), "relative_tolerance": (0, 1), "absolute_tolerance": (0, 1e300)}
_COUNTS = {"facets": (4, 256), "max_impacts": (1, 2**31 - 1)}
_FLAGS = ("as_stated", "clear_start", "ignore_overlaps", "ignore_torsion")
_step = lib.crdpy_sim_step


class StateMoved(UserWarning):
    """A reset moved the state that it was given (clear_start)."""


def sim_options(model, timestep, integrator, law, mu, e, seed, options):
    """crd_sim_options from the keywords of Sim and Batch."""
    if not isinstance(model, Model):
        raise TypeError(f"model: found {type(model).__name__}, expected a cradle.Model")
    o = ffi.new("crd_sim_options *", lib.crd_sim_default())
    if not _core.is_nan(timestep):
        o.timestep = _core.number("timestep", timestep, 1e-12)
    if _core.text("integrator", integrator) not in INTEGRATORS:
        raise ValueError(f"integrator: found {integrator!r}, expected one of {', '.join(INTEGRATORS)}")
    o.integrator = INTEGRATORS.index(integrator)
    if law is not None:
        o.law = law_pointer(law)
    o.seed = _core.count("seed", seed, 0, 2**64 - 1)
    o.clear_start = True
    for name, value in {"mu": mu, "e": e, **options}.items():
        if name in _NUMBERS:
            setattr(o, name, value if name in ("mu", "e") and _core.is_nan(value) else
                    _core.number(name, value, *_NUMBERS[name]))
        elif name in _COUNTS:
            setattr(o, name, _core.count(name, value, *_COUNTS[name]))
        elif name in _FLAGS:
            setattr(o, name, _core.flag(name, value))
        else:
            raise TypeError(f"{name}: no such option, expected one of "
                            f"{', '.join([*_NUMBERS, *_COUNTS, *_FLAGS])}")
    return o


class Sim:
    """A simulation of a model, at its drawn position and at rest.

    timestep: s, NaN: the model's. integrator: "rk4", "euler", "midpoint", "event" or "moreau". law: at collisions, a
    name. mu, e: of all contacts, NaN: those of the geoms. seed: of the rates of a set-valued law. Others as in
    crd_sim_options: as_stated, facets, gap_tolerance, loop_tolerance, max_impacts, accuracy, ignore_overlaps,
    ignore_torsion, relative_tolerance, absolute_tolerance; clear_start is True here: a first state with overlaps, open
    loops or joints beyond their limits is moved by the smallest displacement, with a StateMoved warning that says what
    was moved; False refuses it.

    ctrl (nu) and tau (nv: applied generalised forces, N and N m) are arrays to write to; the next step uses what is in
    them. qpos (nq), qvel (nv), act (nact) are read-only views of the present state. One thread at a time: a second one
    gets RuntimeError. Other threads go on while a simulation steps.
    """
    __slots__ = ("model", "_handle", "_ctrl", "_tau", "_sensors", "_options", "__weakref__")
    model: Model

    def __init__(self, model: Model, *, timestep: float = nan, integrator: str = "rk4", law: str | None = None,
                 mu: float = nan, e: float = nan, seed: int = 0, **options):
        o = sim_options(model, timestep, integrator, law, mu, e, seed, options)
        self._options = dict(timestep=timestep, integrator=integrator, law=law, mu=mu, e=e, seed=seed, **options)
        self._handle = _core.NULL
        out, err = ffi.new("crdpy_sim **"), _core.new_error()
        status = lib.crdpy_sim_new(model._handle, o, out, err)
        if status:
            raise failure(status, err)
        self.model = model
        self._handle = ffi.gc(out[0], lib.crdpy_sim_drop)
        self._ctrl = view(self._handle, out[0].ctrl, (model.nu,), write=True)
        self._tau = view(self._handle, out[0].tau, (model.nv,), write=True)
        self._sensors = {}

    # -------------------------------------------------------------------------------------------- life

    def close(self) -> None:
        """Ends it; views that are still held stay valid. Also at the end of a `with` block."""
        self._handle = _core.NULL

    def __enter__(self) -> Sim:
        return self

    def __exit__(self, *_):
        self.close()

    def _open(self):
        """The handle. Whoever holds it may use its memory, also when another thread closes the simulation."""
        handle = self._handle
        if handle == _core.NULL:
            raise ValueError("found a closed simulation, expected an open one")
        return handle

    def _taken(self):
        """The handle, marked as in use; `_give` ends that. Around what reads memory that a step moves."""
        handle = self._open()
        status = lib.crdpy_sim_take(handle)
        if status:
            raise failure(status)
        return handle

    def _fail(self, status, err=_core.NULL):
        handle = self._handle
        if status == lib.CRDPY_CLOSED or handle == _core.NULL:
            return ValueError("found a closed simulation, expected an open one")
        if status == lib.CRD_ERR_NUMBER and err == _core.NULL:
            _core.finite("ctrl", self._ctrl), _core.finite("tau", self._tau)
        message = decode(lib.crd_sim_message(handle.sim)) if err == _core.NULL and status not in (
            lib.CRDPY_BUSY, lib.CRD_STOPPED) else ""
        if message and status > 0:
            return _core.Verdict(f"t = {lib.crd_sim_time(handle.sim):g} s: {message}", _core.status_text(status))
        return failure(status, err, message)

    # -------------------------------------------------------------------------------------------- state

    def reset(self, qpos: ArrayLike | None = None, qvel: ArrayLike | None = None, time: float = 0.0) -> None:
        """Sets the state, the time (s) and a zero ledger; clears ctrl and tau. qpos (nq) None: the drawn position; qvel
        (nv) None: at rest. What overlaps is moved apart (clear_start), or refused by InputError."""
        handle, m = self._open(), self.model
        q = _core.NULL if qpos is None else doubles(_core.vector("qpos", qpos, m.nq, "nq"))
        v = _core.NULL if qvel is None else doubles(_core.vector("qvel", qvel, m.nv, "nv"))
        err = _core.new_error()
        status = lib.crdpy_sim_reset(handle, _core.number("time", time), q, v, err)
        if status:
            raise self._fail(status, err)
        self._tau[:] = 0
        moved = decode(lib.crd_sim_message(handle.sim))
        if moved:
            warnings.warn(moved, StateMoved, stacklevel=2)

    def set_state(self, qpos: ArrayLike | None = None, qvel: ArrayLike | None = None) -> None:
        """Moves it to another state at the present time; None: as it is. Ledger and counters go on, and what the change
        adds to the energy is its line `imposed`. Refuses what overlaps (InputError)."""
        handle, m = self._open(), self.model
        q = _core.NULL if qpos is None else doubles(_core.vector("qpos", qpos, m.nq, "nq"))
        v = _core.NULL if qvel is None else doubles(_core.vector("qvel", qvel, m.nv, "nv"))
        err = _core.new_error()
        status = lib.crdpy_sim_set_state(handle, q, v, err)
        if status:
            raise self._fail(status, err)

    def wrench(self, body: int | str, force: ArrayLike | None = None, torque: ArrayLike | None = None,
               point: ArrayLike | None = None) -> None:
        """Pushes a body (name or id) during the next step: force (3), N, and torque (3), N m, in world axes; the force acts
        at the centre of mass or at a world point (3), m. Calls before a step add up."""
        handle = self._open()
        body = self.model.find("body", body) if isinstance(body, str) else _core.count(
            "body", body, 1, self.model.nbody - 1)
        if body == 0:
            raise ValueError("body: found the world, expected a body")
        held = [(name, _core.NULL if a is None else doubles(_core.vector(name, a, 3)))
                for name, a in (("force", force), ("torque", torque), ("point", point))]
        status = lib.crdpy_sim_wrench(handle, body, *(pointer for _, pointer in held))
        if status:
            raise self._fail(status)

    def set_act(self, act: ArrayLike) -> None:
        """Sets the activations of the actuators (nact)."""
        handle, err = self._open(), _core.new_error()
        status = lib.crdpy_sim_set_act(handle, doubles(_core.vector("act", act, self.model.nact, "nact")), err)
        if status:
            raise self._fail(status, err)

    @property
    def time(self) -> float:
        """s"""
        handle = self._open()
        return lib.crd_sim_time(handle.sim)

    @property
    def qpos(self) -> np.ndarray:
        """Positions (nq), m and rad; a read-only view that changes with every step."""
        handle = self._open()
        return view(handle, lib.crd_sim_qpos(handle.sim), (self.model.nq,))

    @property
    def qvel(self) -> np.ndarray:
        """Velocities (nv), m/s and rad/s; a read-only view that changes with every step."""
        handle = self._open()
        return view(handle, lib.crd_sim_qvel(handle.sim), (self.model.nv,))

    @property
    def act(self) -> np.ndarray:
        """Activations (nact); a read-only view."""
        handle = self._open()
        return view(handle, lib.crd_sim_act(handle.sim), (self.model.nact,))

    @property
    def ctrl(self) -> np.ndarray:
        """Controls (nu) that the next steps use; write to it."""
        self._open()
        return self._ctrl

    @ctrl.setter
    def ctrl(self, value: ArrayLike) -> None:
        self._open()
        self._ctrl[:] = _core.vector("ctrl", value, self.model.nu, "nu")

    @property
    def tau(self) -> np.ndarray:
        """Generalised forces (nv) that act in the next steps, N and N m; write to it."""
        self._open()
        return self._tau

    @tau.setter
    def tau(self, value: ArrayLike) -> None:
        self._open()
        self._tau[:] = _core.vector("tau", value, self.model.nv, "nv")

    @property
    def sensors(self) -> np.ndarray:
        """All sensors (nsensordata) at the present state; a copy."""
        handle, out = self._open(), np.empty(self.model.nsensordata)
        status = lib.crdpy_sim_sensors(handle, doubles(out))
        if status:
            raise self._fail(status)
        return out

    def sensor(self, name: str) -> np.ndarray:
        """One sensor by name (dim), a copy. A site of this name, where no sensor has it, reads as an inertial measurement unit
        (6): accelerometer, m/s^2, then gyro, rad/s, in the site's axes. What needs forces (accelerometer, force, torque,
        touch) is the mean over the last step, NaN before the first."""
        handle, dim = self._open(), self._sensors.get(_core.text("name", name))
        if dim is None:
            dim = self._sensors[name] = self._size_of_sensor(name)
        out = np.empty(dim)
        status = lib.crdpy_sim_sensor(handle, encode("name", name), doubles(out), dim)
        if status:
            raise self._fail(status)
        return out

    def _size_of_sensor(self, name):
        m, sensors, sites = self.model, self.model.names("sensor"), self.model.names("site")
        if name and name in sensors:
            return m._m.sensor[sensors.index(name)].dim
        if name and name in sites:
            return lib.CRD_SIM_INERTIAL
        raise KeyError(f"sensor: found {name!r}, expected one of {', '.join(filter(None, sensors)) or 'none'}, or a site: "
                       f"{', '.join(filter(None, sites)) or 'none'}")

    @property
    def qacc(self) -> np.ndarray:
        """Accelerations (nv), mean over the last step, impacts included; NaN before the first. A copy."""
        handle = self._open()
        return view(handle, lib.crd_sim_qacc(handle.sim), (self.model.nv,)).copy()

    @property
    def energy(self) -> dict[str, float]:
        """The ledger now, J (crd_sim_energy)."""
        handle = self._open()
        e = lib.crd_sim_energy_now(handle.sim)
        return {name: getattr(e, name) for name, _ in ffi.typeof("crd_sim_energy").fields}

    @property
    def counters(self) -> dict[str, int | dict[str, int]]:
        """Steps, impacts, problems solved and so on since the reset (crd_sim_counters)."""
        handle = self._open()
        return counters_dict(lib.crd_sim_counters_now(handle.sim))

    @property
    def contacts(self) -> np.ndarray:
        """Contacts of the last step as a structured array (crd_sim_contact), a copy; names: contact_names."""
        handle, n = self._taken(), ffi.new("int *")
        try:
            item = lib.crd_sim_contacts(handle.sim, n)
            return _core.structs(handle, ffi.cast("crd_sim_contact *", item), n[0], "crd_sim_contact").copy()
        finally:
            lib.crdpy_sim_give(handle)

    @property
    def contact_names(self) -> list[str]:
        """Names of the contacts of the last step, in the order of `contacts`."""
        handle, n = self._taken(), ffi.new("int *")
        try:
            item = lib.crd_sim_contacts(handle.sim, n)
            return [decode(item[i].contact.name) for i in range(n[0])]
        finally:
            lib.crdpy_sim_give(handle)

    @property
    def message(self) -> str:
        """Why the last step failed, or what the reset moved; "" otherwise."""
        handle = self._taken()
        try:
            return decode(lib.crd_sim_message(handle.sim))
        finally:
            lib.crdpy_sim_give(handle)

    # -------------------------------------------------------------------------------------------- going on

    def step(self, n: int = 1) -> None:
        """n steps with ctrl and tau as they are. Verdict: no motion was found that satisfies the contact problem; the
        state is then that before the step."""
        status = _step(self._handle, n)
        if status:
            raise self._fail(status)

    def run(self, duration: float, every: int = 1) -> Trace:
        """Goes on for `duration` s with ctrl and tau as they are and records a row every `every` steps, and all events. A
        verdict ends the trace, which then is `truncated` and says why."""
        handle = self._open()
        duration = _core.number("duration", duration, 0, 1e12)
        every = _core.count("every", every, 1)
        out, err = ffi.new("crdpy_trace **"), _core.new_error()
        status = lib.crdpy_sim_run(handle, duration, every, out, err)
        if status < 0:
            raise self._fail(status, err if err.text[0] != b"\0" and status != lib.CRD_STOPPED else _core.NULL)
        return Trace(out[0], self.model)

    # -------------------------------------------------------------------------------------------- pickling

    def save(self) -> bytes:
        """Everything that the future depends on; ctrl and tau too."""
        handle = self._open()
        size = lib.crd_sim_saved_size(handle.sim)
        buffer = ffi.new("char[]", size)
        status = lib.crdpy_sim_save(handle, buffer, size)
        if status:
            raise self._fail(status)
        return self._tau.tobytes() + bytes(ffi.buffer(buffer, size))

    def restore(self, saved: bytes | bytearray) -> None:
        """The state out of `save` of a simulation of the same model and options; it goes on with the same bits."""
        handle = self._open()
        if not isinstance(saved, (bytes, bytearray)):
            raise TypeError(f"saved: found {type(saved).__name__}, expected bytes")
        head = 8 * self.model.nv
        if len(saved) <= head:
            raise ValueError(f"saved: found {len(saved)} bytes, expected more than {head}")
        status = lib.crdpy_sim_restore(handle, ffi.from_buffer("char[]", saved[head:]), len(saved) - head)
        if status:
            raise ValueError("saved: found bytes of another model, other options or another version") if \
                status in (lib.CRD_ERR_ARGUMENT, lib.CRD_ERR_FORMAT, lib.CRD_ERR_CAPACITY) else self._fail(status)
        self._tau[:] = np.frombuffer(saved[:head])

    def __reduce__(self):
        return _restored, (self.model, self._options, self.save())

    def __repr__(self):
        try:
            return f"Sim({self.model.input!r}, t={self.time:g} s, qpos={self.qpos}, qvel={self.qvel})"
        except ValueError:
            return "Sim(closed)"


def _restored(model, options, saved):
    sim = Sim(model, **options)
    sim.restore(saved)
    return sim


assert INTEGRATORS == tuple(decode(lib.crd_sim_integrator_name(k)) for k in range(len(INTEGRATORS)))

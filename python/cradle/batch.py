"""Batches: many simulations of one model, stepped together by all threads."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import _core
from ._core import ArrayLike, decode, doubles, failure, ffi, lib, nan, view
from .model import Model
from .sim import Sim, sim_options


class Rollout(NamedTuple):
    """States after each round, rows of members; NaN from the round on in which a member failed."""
    time: np.ndarray  #: (length, count), s
    qpos: np.ndarray  #: (length, count, nq)
    qvel: np.ndarray  #: (length, count, nv)
    act: np.ndarray  #: (length, count, nact)
    sensors: np.ndarray | None  #: (length, count, nsensordata), None where the batch reads none


class Batch:
    """`count` simulations of a model, each bit by bit as a Sim of its own, whatever the number of threads.

    threads: 0: as many as OpenMP gives. sensors: read them after every step. seed: of member 0, the next ones count on.
    Other options as of Sim.

    ctrl (count, nu) is an array to write to; qpos (count, nq), qvel (count, nv), act (count, nact), time (count),
    sensors (count, nsensordata) and status (count, 0: well) are read-only views of the present states. A member that
    fails stands still until it is reset; the others go on (`failed`, `message`).
    """
    __slots__ = ("model", "count", "_handle", "_arrays", "_options", "_reads", "__weakref__")
    model: Model
    count: int

    def __init__(self, model: Model, count: int, *, threads: int = 0, sensors: bool = True, timestep: float = nan,
                 integrator: str = "rk4", law: str | None = None, mu: float = nan, e: float = nan, seed: int = 0,
                 **options):
        self._handle = _core.NULL
        o = ffi.new("crd_batch_options *", lib.crd_batch_default())
        o.sim = sim_options(model, timestep, integrator, law, mu, e, seed, options)[0]
        o.count = self.count = _core.count("count", count, 1)
        o.threads = _core.count("threads", threads, 0, 4096)
        o.sensors = self._reads = _core.flag("sensors", sensors)
        self._options = dict(timestep=timestep, integrator=integrator, law=law, mu=mu, e=e, **options)
        out, err = ffi.new("crdpy_batch **"), _core.new_error()
        status = lib.crdpy_batch_new(model._handle, o, out, err)
        if status:
            raise failure(status, err)
        self.model = model
        h = self._handle = ffi.gc(out[0], lib.crdpy_batch_drop)
        b = out[0].batch
        self._arrays = {
            "ctrl": view(h, lib.crd_batch_ctrl(b), (count, model.nu), write=True),
            "seeds": view(h, lib.crd_batch_seeds(b), (count,), "<u8", write=True),
            "qpos": view(h, lib.crd_batch_qpos(b), (count, model.nq)),
            "qvel": view(h, lib.crd_batch_qvel(b), (count, model.nv)),
            "act": view(h, lib.crd_batch_act(b), (count, model.nact)),
            "time": view(h, lib.crd_batch_time(b), (count,)),
            "sensors": view(h, lib.crd_batch_sensors(b), (count, model.nsensordata)),
            "status": view(h, ffi.cast("int *", lib.crd_batch_status(b)), (count,), "<i4")}

    def close(self) -> None:
        """Ends it; views that are still held stay valid. Also at the end of a `with` block."""
        self._handle = _core.NULL

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_):
        self.close()

    def _open(self):
        """The handle. Whoever holds it may use its memory, also when another thread closes the batch."""
        handle = self._handle
        if handle == _core.NULL:
            raise ValueError("found a closed batch, expected an open one")
        return handle

    def _array(name, doc):  # noqa: N805
        def get(self):
            self._open()
            return self._arrays[name]
        return property(get, doc=doc)

    seeds: np.ndarray = _array("seeds", "seeds (count) of what is random in a law; write to it")
    qpos: np.ndarray = _array("qpos", "(count, nq), m and rad")
    qvel: np.ndarray = _array("qvel", "(count, nv), m/s and rad/s")
    act: np.ndarray = _array("act", "activations (count, nact)")
    time: np.ndarray = _array("time", "(count), s")
    sensors: np.ndarray = _array("sensors", "(count, nsensordata); zero where the batch reads none")
    status: np.ndarray = _array("status", "(count): 0, or crd_status of why a member stands still")
    del _array

    @property
    def ctrl(self) -> np.ndarray:
        """Controls (count, nu) of the steps to come; write to it."""
        self._open()
        return self._arrays["ctrl"]

    @ctrl.setter
    def ctrl(self, value: ArrayLike) -> None:
        self._open()
        self._arrays["ctrl"][:] = _core.rows("ctrl", value, (self.count, self.model.nu))

    @property
    def threads(self) -> int:
        """That a call uses at most."""
        handle = self._open()
        return lib.crd_batch_threads(handle.batch)

    @property
    def failed(self) -> np.ndarray:
        """Numbers of the members that stand failed (k)."""
        return np.flatnonzero(self.status)

    def message(self, member: int) -> str:
        """Why a member failed, "" where it has not."""
        handle, member = self._open(), self._member(member)
        status = lib.crdpy_batch_take(handle)
        if status:
            raise failure(status)
        try:
            return decode(lib.crd_batch_message(handle.batch, member))
        finally:
            lib.crdpy_batch_give(handle)

    def _member(self, member) -> int:
        return _core.count("member", member, 0, self.count - 1)

    # -------------------------------------------------------------------------------------------- going on

    def reset(self, qpos: ArrayLike | None = None, qvel: ArrayLike | None = None,
              members: ArrayLike | None = None) -> None:
        """Resets members (numbers, None: all) at time 0 to states qpos (n, nq) and qvel (n, nv), or one state for all
        of them (nq), (nv); None: the drawn position, at rest. Their controls become zero. One that is refused fails."""
        handle, m = self._open(), self.model
        if members is None:
            n, chosen = self.count, _core.NULL
        else:
            members = np.asarray(members)
            if members.dtype.kind not in "iu" and members.size:
                raise TypeError(f"members: found dtype {members.dtype}, expected integers")
            members = np.ascontiguousarray(members.reshape(-1), dtype=np.int64)
            n = len(members)
            if n == 0:
                return
            if members.min() < 0 or members.max() >= self.count or len(np.unique(members)) != n:
                raise ValueError(f"members: found {members}, expected different numbers in 0 .. {self.count - 1}")
            small = members.astype(np.int32)
            chosen = ffi.from_buffer("int[]", small)
        q = None if qpos is None else _core.rows("qpos", qpos, (n, m.nq))
        v = None if qvel is None else _core.rows("qvel", qvel, (n, m.nv))
        status = lib.crdpy_batch_reset(handle, chosen, n, _core.NULL if q is None else doubles(q),
                                       _core.NULL if v is None else doubles(v))
        if status:
            raise failure(status)

    def step(self, ctrl: ArrayLike | None = None, n: int = 1) -> None:
        """n steps of every member that has not failed. ctrl (count, nu): written to `ctrl` first; None: as it is."""
        handle = self._open()
        if ctrl is not None:
            self.ctrl = ctrl
        else:
            _core.finite_rows("ctrl", self._arrays["ctrl"])
        status = lib.crdpy_batch_step(handle, _core.count("n", n, 1))
        if status:
            raise failure(status)

    def rollout(self, ctrl: ArrayLike | None = None, length: int | None = None, n: int = 1) -> Rollout:
        """`length` rounds of n steps, in round t with ctrl[t] (length, count, nu); None: with `ctrl` in all of them."""
        handle, m = self._open(), self.model
        if ctrl is not None:
            ctrl = np.asarray(ctrl)
            if ctrl.ndim != 3 or (length is not None and len(ctrl) != length):
                raise ValueError(f"ctrl: found shape {ctrl.shape}, expected "
                                 f"({'length' if length is None else length}, {self.count}, {m.nu})")
            length = len(ctrl)
            ctrl = _core.rows("ctrl", ctrl, (length, self.count, m.nu))
        else:
            _core.finite_rows("ctrl", self._arrays["ctrl"])
        length = _core.count("length", length, 1)
        shape = (length, self.count)
        out = Rollout(np.empty(shape), np.empty((*shape, m.nq)), np.empty((*shape, m.nv)), np.empty((*shape, m.nact)),
                      np.empty((*shape, m.nsensordata)) if self._reads else None)
        record = ffi.new("crd_batch_record *")
        held = []
        for name, array in out._asdict().items():
            if array is not None and array.size:
                held.append(doubles(array))
                setattr(record, name, held[-1])
        status = lib.crdpy_batch_rollout(handle, length, _core.count("n", n, 1),
                                         _core.NULL if ctrl is None or not ctrl.size else doubles(ctrl), record)
        if status:
            raise failure(status)
        return out

    # -------------------------------------------------------------------------------------------- single members

    def sim(self, member: int) -> Sim:
        """A simulation that goes on as the member would, for all that a batch does not show."""
        handle, member = self._open(), self._member(member)
        sim = Sim(self.model, seed=int(self._arrays["seeds"][member]), **self._options)
        status = lib.crdpy_batch_get(handle, member, sim._handle)
        if status:
            raise failure(status)
        return sim

    def put(self, member: int, sim: Sim) -> None:
        """Makes the member what the simulation, of the same model and options, is."""
        handle, member = self._open(), self._member(member)
        if not isinstance(sim, Sim):
            raise TypeError(f"sim: found {type(sim).__name__}, expected a cradle.Sim")
        if sim.model is not self.model:
            raise ValueError("sim: found one of another model, expected the batch's")
        status = lib.crdpy_batch_put(handle, member, sim._open())
        if status:
            raise failure(status, what="sim")

    def __len__(self) -> int:
        return self.count

    def __reduce__(self):
        return _restored, (self.model, self.count, {**self._options, "sensors": self._reads}, self.seeds.copy(),
                           [self.sim(i).save() for i in range(self.count)])

    def __repr__(self):
        try:
            return f"Batch({self.model.input!r}, {self.count}, threads={self.threads}, failed={len(self.failed)})"
        except ValueError:
            return "Batch(closed)"


def _restored(model, count, options, seeds, saved):
    batch = Batch(model, count, **options)
    batch.seeds[:] = seeds
    sim = Sim(model, **{k: v for k, v in options.items() if k != "sensors"})
    for member, data in enumerate(saved):
        sim.restore(data)
        batch.put(member, sim)
    return batch

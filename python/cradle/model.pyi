# Written by python/stubs from model.py.
from __future__ import annotations
import os
from typing import Any
from numpy.typing import ArrayLike, NDArray
from collections.abc import Mapping, Sequence
from typing import NamedTuple
import numpy as np
from . import _core
from ._core import Path as Path
from .problem import ContactProblem

class Ignored(NamedTuple):
    element: str
    attribute: str | None
    name: str
    file: str
    line: int
    reason: str
    kind: str

class Key:
    name: str
    time: float
    qpos: NDArray[Any]
    qvel: NDArray[Any]
    act: NDArray[Any]
    ctrl: NDArray[Any]

    def __init__(self, model: Model, index: int) -> None:
        ...

    def __repr__(self) -> str:
        ...

class Model:
    nq: int
    nv: int
    nu: int
    nact: int
    nsensordata: int
    ignored: list[Ignored]

    def __init__(self, path: Path, *, lenient: bool=False, allow_outside: bool=False, package_path: Sequence[Path]=...) -> None:
        ...

    @classmethod
    def from_text(cls, text: str, name: str='model.xml', *, lenient: bool=False, allow_outside: bool=False, package_path: Sequence[Path]=...) -> Model:
        ...

    @property
    def input(self) -> str:
        ...

    @property
    def name(self) -> str:
        ...

    @property
    def files(self) -> dict[str, bytes]:
        ...

    @property
    def nbody(self) -> int:
        ...

    @property
    def njoint(self) -> int:
        ...

    @property
    def ngeom(self) -> int:
        ...

    @property
    def nsite(self) -> int:
        ...

    @property
    def nloop(self) -> int:
        ...

    @property
    def ntendon(self) -> int:
        ...

    @property
    def nsensor(self) -> int:
        ...

    @property
    def nkey(self) -> int:
        ...

    @property
    def mass(self) -> float:
        ...

    @property
    def timestep(self) -> float:
        ...

    @property
    def qpos0(self) -> NDArray[Any]:
        ...

    @property
    def gravity(self) -> NDArray[Any]:
        ...

    def names(self, kind: str) -> list[str]:
        ...

    def find(self, kind: str, name: str) -> int:
        ...

    def key(self, name: str | int=0) -> Key:
        ...

    @property
    def keys(self) -> list[Key]:
        ...

    def variant(self, *, mass: Mapping[int | str, float] | None=None, inertial: Mapping[int | str, tuple[float, ArrayLike, ArrayLike, ArrayLike]] | None=None, friction: Mapping[int | str, ArrayLike] | None=None, restitution: Mapping[int | str, float] | None=None, pair: Mapping[int | str, tuple[ArrayLike, float]] | None=None, damping: Mapping[int | str, float] | None=None, gain: Mapping[int | str, ArrayLike] | None=None, bias: Mapping[int | str, ArrayLike] | None=None, gravity: ArrayLike | None=None) -> Model:
        ...

    def contact_problem(self, qpos: ArrayLike | None=None, qvel: ArrayLike | None=None, *, mu: float=..., e: float=..., distance: float=1e-06) -> ContactProblem:
        ...

    def __str__(self) -> str:
        ...

    def __reduce__(self) -> Any:
        ...

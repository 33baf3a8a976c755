# Written by python/stubs from model.py.
from __future__ import annotations
from typing import Any
from typing import NamedTuple
import numpy as np
from . import _core
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

    def __init__(self, model: Model, index: int) -> None:
        ...

    def __repr__(self) -> str:
        ...

class Model:

    def __init__(self, path: Any, *, lenient: bool=False, allow_outside: bool=False, package_path: Any=...) -> None:
        ...

    @classmethod
    def from_text(cls, text: str, name: str='model.xml', *, lenient: bool=False, allow_outside: bool=False, package_path: Any=...) -> Model:
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

    def __getattr__(self, name: Any) -> Any:
        ...

    def __dir__(self) -> Any:
        ...

    @property
    def qpos0(self) -> np.ndarray:
        ...

    @property
    def gravity(self) -> np.ndarray:
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

    def contact_problem(self, qpos: Any=None, qvel: Any=None, *, mu: float=..., e: float=..., distance: float=1e-06) -> ContactProblem:
        ...

    def __str__(self) -> str:
        ...

    def __reduce__(self) -> Any:
        ...

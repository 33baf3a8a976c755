# Written by python/stubs from problem.py.
from __future__ import annotations
import os
from typing import Any
from numpy.typing import ArrayLike, NDArray
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
import numpy as np
from . import _core
from ._core import Path as Path
from .check import Check
from .impact import Result, SideBySide
from .model import Model
from .outcomes import Outcomes

class Contact:
    index: int

    def __init__(self, handle: Any, c: Any, index: Any) -> None:
        ...

    @property
    def name(self) -> str:
        ...

    @property
    def row(self) -> int:
        ...

    @property
    def ntangent(self) -> int:
        ...

    @property
    def mu(self) -> float:
        ...

    @property
    def mu_static(self) -> float:
        ...

    @property
    def e(self) -> float:
        ...

    @property
    def e_t(self) -> float:
        ...

    @property
    def gap(self) -> float:
        ...

    @property
    def body1(self) -> int:
        ...

    @property
    def body2(self) -> int:
        ...

    @property
    def joint(self) -> int:
        ...

    @property
    def point(self) -> NDArray[Any]:
        ...

    @property
    def normal(self) -> NDArray[Any]:
        ...

    @property
    def tangent(self) -> NDArray[Any]:
        ...

    def __repr__(self) -> str:
        ...

class Contacts:

    def __init__(self, handle: Any, p: Any) -> None:
        ...

    @property
    def names(self) -> list[str]:
        ...

    def __len__(self) -> int:
        ...

    def __iter__(self) -> Iterator[Contact]:
        ...

    def __contains__(self, name: object) -> bool:
        ...

    def __getitem__(self, which: int | str) -> Contact:
        ...

    @property
    def array(self) -> NDArray[Any]:
        ...

    def to_pandas(self) -> Any:
        ...

    def __repr__(self) -> str:
        ...

class ContactProblem:

    def __init__(self, source: Path | dict[str, Any], *, any_restitution: bool=False) -> None:
        ...

    @property
    def nv(self) -> int:
        ...

    @property
    def nc(self) -> int:
        ...

    @property
    def nrow(self) -> int:
        ...

    @property
    def nb(self) -> int:
        ...

    @property
    def kinetic(self) -> float:
        ...

    @property
    def kinetic_free(self) -> float:
        ...

    @property
    def input(self) -> str:
        ...

    @property
    def model(self) -> Model | None:
        ...

    @property
    def M(self) -> NDArray[Any]:
        ...

    @property
    def J(self) -> NDArray[Any]:
        ...

    @property
    def X(self) -> NDArray[Any]:
        ...

    @property
    def W(self) -> NDArray[Any]:
        ...

    @property
    def v(self) -> NDArray[Any]:
        ...

    @property
    def u(self) -> NDArray[Any]:
        ...

    @property
    def v_free(self) -> NDArray[Any]:
        ...

    @property
    def u_free(self) -> NDArray[Any]:
        ...

    @property
    def impulse(self) -> NDArray[Any]:
        ...

    @property
    def residual(self) -> NDArray[Any]:
        ...

    @property
    def restitution_matrix(self) -> NDArray[Any] | None:
        ...

    @property
    def delassus(self) -> NDArray[Any]:
        ...

    @property
    def v_minus(self) -> NDArray[Any]:
        ...

    @property
    def contacts(self) -> Contacts:
        ...

    def resolve(self, law: str='poisson', **options: Any) -> Result:
        ...

    def resolve_all(self, **options: Any) -> SideBySide:
        ...

    def outcomes(self, samples: int=..., seed: int=0, **options: Any) -> Outcomes:
        ...

    def check(self, **options: Any) -> Check:
        ...

    def to_json(self) -> str:
        ...

    def save(self, path: Path) -> None:
        ...

    def __str__(self) -> str:
        ...

    def _repr_html_(self) -> Any:
        ...

    def __reduce__(self) -> Any:
        ...

def listed(value: Any) -> Any:
    ...

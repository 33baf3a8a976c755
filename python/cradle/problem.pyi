# Written by python/stubs from problem.py.
from __future__ import annotations
from typing import Any
import json
import numpy as np
from . import _core

class Contact:

    def __init__(self, handle: Any, c: Any, index: Any) -> None:
        ...

    @property
    def name(self) -> str:
        ...

    @property
    def row(self) -> Any:
        ...

    @property
    def ntangent(self) -> Any:
        ...

    @property
    def mu(self) -> Any:
        ...

    @property
    def mu_static(self) -> Any:
        ...

    @property
    def e(self) -> Any:
        ...

    @property
    def e_t(self) -> Any:
        ...

    @property
    def gap(self) -> Any:
        ...

    @property
    def body1(self) -> Any:
        ...

    @property
    def body2(self) -> Any:
        ...

    @property
    def joint(self) -> Any:
        ...

    @property
    def point(self) -> np.ndarray:
        ...

    @property
    def normal(self) -> np.ndarray:
        ...

    @property
    def tangent(self) -> np.ndarray:
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

    def __iter__(self) -> Any:
        ...

    def __contains__(self, name: Any) -> Any:
        ...

    def __getitem__(self, which: Any) -> Contact:
        ...

    @property
    def array(self) -> np.ndarray:
        ...

    def to_pandas(self) -> Any:
        ...

    def __repr__(self) -> str:
        ...

class ContactProblem:

    def __init__(self, source: Any, *, any_restitution: bool=False) -> None:
        ...

    @property
    def nv(self) -> Any:
        ...

    @property
    def nc(self) -> Any:
        ...

    @property
    def nrow(self) -> Any:
        ...

    @property
    def nb(self) -> Any:
        ...

    @property
    def kinetic(self) -> Any:
        ...

    @property
    def kinetic_free(self) -> Any:
        ...

    @property
    def model(self) -> Any:
        ...

    @property
    def M(self) -> Any:
        ...

    @property
    def J(self) -> Any:
        ...

    @property
    def X(self) -> Any:
        ...

    @property
    def W(self) -> Any:
        ...

    @property
    def v(self) -> Any:
        ...

    @property
    def u(self) -> Any:
        ...

    @property
    def v_free(self) -> Any:
        ...

    @property
    def u_free(self) -> Any:
        ...

    @property
    def impulse(self) -> Any:
        ...

    @property
    def residual(self) -> Any:
        ...

    @property
    def restitution_matrix(self) -> Any:
        ...

    @property
    def delassus(self) -> Any:
        ...

    @property
    def v_minus(self) -> Any:
        ...

    @property
    def contacts(self) -> Contacts:
        ...

    def resolve(self, law: Any='poisson', **options: Any) -> Any:
        ...

    def resolve_all(self, **options: Any) -> Any:
        ...

    def outcomes(self, samples: int=..., seed: int=1, **options: Any) -> Any:
        ...

    def check(self, **options: Any) -> Any:
        ...

    def to_json(self) -> str:
        ...

    def save(self, path: Any) -> None:
        ...

    def __str__(self) -> str:
        ...

    def _repr_html_(self) -> Any:
        ...

    def __reduce__(self) -> Any:
        ...

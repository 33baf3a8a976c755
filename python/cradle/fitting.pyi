# Written by python/stubs from fitting.py.
from __future__ import annotations
import os
from typing import Any
from numpy.typing import ArrayLike, NDArray
import json
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
import numpy as np
from . import _core
from ._core import Path as Path
from .impact import law_pointer, laws as _all_laws
from .model import Model
from .outcomes import box_of
from .problem import ContactProblem, listed
PARAMETERS: Any
LOSSES: Any

class RowsLeftOut(UserWarning):
    ...

class FitLaw(NamedTuple):
    law: str
    status: str
    rank: int
    value: dict[str, float]
    interval: dict[str, tuple[float, float]]
    determined: dict[str, bool]
    error: float
    test: float
    behind: tuple[float, float, float]
    correlation: float
    unanswered: int
    errors: NDArray[Any]
    v_plus: NDArray[Any]
    surface: NDArray[Any]

class Fit:
    bad: Any
    rows: int

    def __init__(self, found: dict[str, Any], text: str, bad: list[str]) -> None:
        ...

    @property
    def groups(self) -> list[str]:
        ...

    def group(self, name: str | None=None) -> list[FitLaw]:
        ...

    @property
    def laws(self) -> list[FitLaw]:
        ...

    @property
    def best(self) -> FitLaw:
        ...

    @property
    def e(self) -> NDArray[Any]:
        ...

    @property
    def mu(self) -> NDArray[Any]:
        ...

    @property
    def look(self) -> dict[str, Any]:
        ...

    @property
    def coverage(self) -> dict[str, Any] | None:
        ...

    def __getitem__(self, law: str) -> FitLaw:
        ...

    def __iter__(self) -> Iterator[FitLaw]:
        ...

    def __len__(self) -> int:
        ...

    def to_dict(self) -> dict[str, Any]:
        ...

    def to_pandas(self) -> Any:
        ...

    def __repr__(self) -> str:
        ...

class _Rows:
    handle: Any
    mu: Any
    e: Any
    count: Any
    bad: Any
    first: Any

    def __init__(self, mu: Any, e: Any) -> None:
        ...

    def fault(self, error: Any) -> Any:
        ...

    def add(self, problem: Any, measured: Any, override: Any=True) -> Any:
        ...

    def of_file(self, rows: Any) -> Any:
        ...

    def of_problems(self, rows: Any) -> Any:
        ...

    def of_states(self, model: Any, gap: Any, data: Any) -> Any:
        ...

    def of_motions(self, model: Any, piece: Any, data: Any) -> Any:
        ...

def fit(data: Any, laws: Sequence[str] | str | None=None, *, model: Model | Path | None=None, gap: float=0.001, fitted: Sequence[str]=..., ranges: dict[str, Any] | None=None, e: float=..., mu: float=..., loss: str='mean', huber: float=0.1, test: str | int | None=None, by_group: bool=False, coverage: dict[str, float] | None=None, grid: int | None=None, trajectories: bool=False, dt: float=..., piece: float=..., resamples: int=400, facets: int=8, round_cone: bool=True, any_restitution: bool=False, seed: int=0, threads: int=0) -> Fit:
    ...

# Written by python/stubs from __init__.py.
from __future__ import annotations
import os
from typing import Any
from numpy.typing import ArrayLike, NDArray
from typing import Any
from . import _core, env
from ._core import Error as Error, FileError as FileError, InputError as InputError, Path as Path, Verdict as Verdict
from .batch import Batch, Rollout
from .check import Check
from .fitting import Fit, FitLaw, RowsLeftOut, fit
from .impact import Law, Result, Solution, laws
from .model import Ignored, Key, Model
from .outcomes import Hull, OutcomeFile, Outcomes
from .problem import Contact, ContactProblem, Contacts
from .sim import Sim, StateMoved
from .trace import Trace
__version__: str
__all__ = ['Batch', 'Check', 'Contact', 'ContactProblem', 'Contacts', 'Error', 'FileError', 'Fit', 'FitLaw', 'Hull', 'Ignored', 'InputError', 'Key', 'Law', 'Model', 'OutcomeFile', 'Outcomes', 'Result', 'Rollout', 'RowsLeftOut', 'Sim', 'Solution', 'StateMoved', 'Trace', 'Verdict', 'env', 'examples', 'fit', 'laws', 'open']

def open(path: Path) -> Any:
    ...

def examples() -> dict[str, str]:
    ...

# Written by python/stubs from __init__.py.
from __future__ import annotations
from typing import Any
from . import env
from .batch import Batch, Rollout
from .check import Check
from .impact import Law, Result, Solution, laws
from .model import Ignored, Key, Model
from .outcomes import Hull, OutcomeFile, Outcomes
from .problem import Contact, ContactProblem, Contacts
from .sim import Sim, StateMoved
from .trace import Trace
__version__: Any
from ._core import Error as Error, FileError as FileError, InputError as InputError, Verdict as Verdict
__all__ = ['Batch', 'Check', 'Contact', 'ContactProblem', 'Contacts', 'Error', 'FileError', 'Hull', 'Ignored', 'InputError', 'Key', 'Law', 'Model', 'OutcomeFile', 'Outcomes', 'Result', 'Rollout', 'Sim', 'Solution', 'StateMoved', 'Trace', 'Verdict', 'env', 'examples', 'laws', 'open']

def open(path: Any) -> Any:
    ...

def examples() -> dict[str, str]:
    ...

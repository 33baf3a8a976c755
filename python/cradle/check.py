"""Are restitution and friction consistent at a state, and is contact well-posed there?"""
from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._core import Path, encode, failure, ffi, lib


class Region(NamedTuple):
    """The admissible (e, mu) of a contact at its velocity, on a grid."""
    contact: str
    mu: np.ndarray  #: (n)
    e: np.ndarray  #: (k), 0 .. 1
    admissible: np.ndarray  #: (n, k) of bool


class Pair(NamedTuple):
    """Coefficients of restitution of two contacts that never bring energy: for each of the first an interval of the
    second, NaN where it is empty."""
    contacts: tuple[str, str]
    first: np.ndarray  #: (n), 0 .. 1
    low: np.ndarray  #: (n)
    high: np.ndarray  #: (n)


class Check:
    """What `cradle check` finds. Its numbers are in `to_dict()` (keys of `--json`), also by check["lmi"]."""

    def __init__(self, problem, handle, asked):
        self.problem, self._handle, self._asked, self._dict = problem, handle, asked, None

    def to_dict(self) -> dict[str, Any]:
        """The object of `cradle check --json`."""
        if self._dict is None:
            self._dict = json.loads(_core.taken_text(lib.crdpy_check_print(self.problem._handle, self._handle, True)))
        return self._dict

    def __getitem__(self, key: str):
        found = self.to_dict()
        if _core.text("key", key) not in found:
            raise KeyError(f"key: found {key!r}, expected one of {', '.join(found)}")
        return found[key]

    @property
    def verdicts(self) -> list[dict[str, str]]:
        """What to act on first: {about, level, text}, level is "good", "bad", "note" or "unknown"."""
        return self.to_dict()["verdict"]

    def _contact(self, which):
        contacts = self.problem.contacts
        name = contacts[which].name
        inner = self._handle.check.problem
        for i in range(inner.nc):
            if _core.decode(inner.contact[i].name) == name:
                return i, name
        raise KeyError(f"contact: found {name!r}, which bilateral rows hold, expected one that can move")

    def region(self, contact: int | str = 0, mu_max: float | None = None, n: int = 61) -> Region:
        """The admissible (e, mu) of a contact (name or number) on n x n points; mu up to mu_max, None: twice its own, at
        least 1."""
        i, name = self._contact(contact)
        n = _core.count("n", n, 2, 4096)
        own = self._handle.check.friction[i].mu
        mu_max = max(1.0, 2 * own) if mu_max is None else _core.number("mu_max", mu_max, 0)
        inside = np.zeros((n, n), np.uint8)
        lib.crdpy_check_region(self._handle, i, mu_max, n, n, ffi.from_buffer("unsigned char[]", inside))
        return Region(name, np.linspace(0, mu_max, n), np.linspace(0, 1, n), inside.astype(bool))

    def pair(self, first: int | str = 0, second: int | str = 1, n: int = 61) -> Pair:
        """The admissible region of the restitution of two contacts."""
        (i, one), (k, two) = self._contact(first), self._contact(second)
        if i == k:
            raise ValueError(f"second: found {two!r} again, expected another contact")
        n = _core.count("n", n, 2, 4096)
        low, high = np.zeros(n), np.zeros(n)
        status = lib.crdpy_check_pair(self._handle, i, k, n, _core.doubles(low), _core.doubles(high))
        if status:
            raise failure(status, what="region")
        return Pair((one, two), np.linspace(0, 1, n), low, high)

    def plot_region(self, contact=None, ax=None):
        """The admissible region of a contact in (e, mu) with its own coefficients, by matplotlib; None: of each contact.
        Returns the axes drawn on."""
        from ._plot import plot_region
        return plot_region(self, contact, ax)

    def save_page(self, path: Path) -> None:
        """Writes the page with verdicts, regions and tables (docs/viewer.md)."""
        err = _core.new_error()
        status = lib.crdpy_check_page(encode("path", path, path=True), self.problem._handle, self._handle, err)
        if status:
            raise failure(status, err)

    def _repr_html_(self):
        return _core.in_page(self.save_page)

    def __repr__(self):
        return _core.taken_text(lib.crdpy_check_print(self.problem._handle, self._handle, False)).rstrip("\n")

    def __reduce__(self):
        return _checked_again, (self.problem, self._asked)


def _checked_again(problem, asked):
    return check(problem, **asked)


def check(problem, *, use_matrix: bool = True, max_modes: int = 4096) -> Check:
    """use_matrix: the problem's restitution matrix counts, where it has one. max_modes: modes of contacts at rest that
    are tried before their motion is called unknown."""
    asked = {"use_matrix": use_matrix, "max_modes": max_modes}
    out = ffi.new("crdpy_check **")
    status = lib.crdpy_check_new(problem._handle, _core.flag("use_matrix", use_matrix),
                                 _core.count("max_modes", max_modes, 1, 2**24), out)
    if status:
        raise failure(status, what="check")
    return Check(problem, ffi.gc(out[0], lib.crdpy_check_drop), asked)

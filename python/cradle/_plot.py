"""Pictures by matplotlib, where it is installed."""
from __future__ import annotations

import numpy as np

from . import _core


def _axes(ax, **figure):
    if ax is not None:
        return _core.axes("ax", ax, "plot", "legend")
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plots need matplotlib (Debian: python3-matplotlib)") from None
    return pyplot.subplots(layout="constrained", **figure)[1]


def _unit(name: str) -> str:
    return name if name.startswith("v[") else f"{name} (m/s)"


def _answers(problem, axes):
    """Points of the laws in the axes: (label, x, y)."""
    from .impact import laws
    out = {}
    for law in laws:
        for s in problem.resolve(law):
            at = []
            for name in axes:
                if name.startswith("v["):
                    at.append(s.v_plus[int(name[2:-1])])
                else:
                    contact, _, which = name.rpartition(".")
                    at.append(s.u_plus[problem.contacts[contact].row + {"n": 0, "t": 1, "t1": 1, "t2": 2}[which]])
            out.setdefault(tuple(np.round(at, 12)), []).append(str(law))
    return [(", ".join(dict.fromkeys(names)), *at) for at, names in out.items()]


def plot_outcomes(outcomes, axes, ax=None, laws=True):
    if len(axes) != 2:
        raise ValueError(f"axes: found {len(axes)}, expected two")
    points = outcomes.points(*axes)
    ax = _axes(ax)
    ax.plot(*points.T, ".", ms=2, alpha=0.3, label=f"{len(points)} outcomes", rasterized=True)
    hull = outcomes.hull(axes).points
    if len(hull) > 1:
        ax.plot(*np.vstack([hull, hull[:1]]).T, "-", lw=1, color="black", label="hull")
    if laws:
        for label, x, y in _answers(outcomes.problem, axes):
            ax.plot(x, y, "o", ms=6, mfc="none", label=label)
    ax.set_xlabel(_unit(axes[0]))
    ax.set_ylabel(_unit(axes[1]))
    ax.legend(fontsize="small")
    return ax


def plot_energy(trace, ax=None):
    ax = _axes(ax)
    e, t = trace.energy, trace.t
    ax.plot(t, e["kinetic"] + e["potential"], color="black", label="kinetic + potential")
    ax.plot(t, e["kinetic"], label="kinetic", lw=1)
    ax.plot(t, e["potential"], label="potential", lw=1)
    for part in ("actuation", "damping", "impact", "contact", "loop", "imposed", "integration"):
        if np.abs(e[part]).max() > 1e-9 * max(np.abs(e["start"]).max(), np.abs(e["kinetic"]).max(), 1e-300):
            ax.plot(t, e[part], "--", label=part, lw=1)
    ax.set_xlabel("time (s)")
    ax.set_ylabel("energy (J)")
    ax.legend(fontsize="small")
    return ax


def plot_region(check, contact=None, ax=None):
    names = check.problem.contacts.names if contact is None else [check.problem.contacts[contact].name]
    if ax is None:
        ax = _axes(None, ncols=len(names), squeeze=False, figsize=(4 * len(names), 3.4))[0]
    panels = [_core.axes("ax", panel, "pcolormesh") for panel in np.atleast_1d(ax)]
    if len(panels) < len(names):
        raise ValueError(f"ax: found {len(panels)}, expected {len(names)}")
    for name, panel in zip(names, panels):
        region, c = check.region(name), check.problem.contacts[name]
        panel.pcolormesh(region.e, region.mu, region.admissible, cmap="Blues", vmin=-0.5, vmax=1.5, shading="nearest")
        panel.plot(c.e, c.mu, "o", color="black")
        panel.set_title(name)
        panel.set_xlabel("e")
        panel.set_ylabel("mu")
    return panels if len(names) > 1 else panels[0]

"""The session of docs/python.md as it stands there, on a small quadruped of ours, and on others where they are at hand."""
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import cradle
from conftest import MODELS, ROOT

PAGE = ROOT / "docs" / "python.md"


def blocks():
    return re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)


#: the session of the issue, word by word, on a robot of others, whose imu is a site
AS_IT_STANDS = """
import cradle, numpy as np
m = cradle.Model("unitree_go1/scene.xml")            # m.ignored: list; errors are exceptions with file and line
q, v = m.key("home").qpos, np.zeros(m.nv); v[2] = -1
p = m.contact_problem(q, v, mu=0.8, e=0.0)           # p.M p.J p.W p.u: numpy, no copies where they live in C
p.contacts["FR"].normal; p.contacts.to_pandas()
for law in cradle.laws: [print(law, s.energy_ratio, s.modes) for s in p.resolve(law)]
o = p.outcomes(samples=2**16, seed=0); o["FR.n"]; o.hull(["FR.n", "FL.n"])
p.check()                                            # verdicts first, regions as arrays
sim = cradle.Sim(m, integrator="rk4"); sim.reset(q, v)
for k in range(1000): sim.ctrl[:] = policy(sim.sensor("imu")); sim.step()
tr = sim.run(2.0); tr.events.to_pandas(); tr.energy["impact"]; tr          # in Jupyter: the page, playing
b = cradle.Batch(m, 4096); b.step(ctrl)              # (4096, nu) -> b.qpos (4096, nq)
"""


def policy(imu):
    assert imu.shape == (policy.size,)
    return np.zeros(policy.nu)


def test_the_session_of_the_page(tmp_path, monkeypatch):
    shutil.copytree(MODELS / "parts", tmp_path / "parts")
    shutil.copy(MODELS / "pup.xml", tmp_path)
    monkeypatch.chdir(tmp_path)
    policy.nu, policy.size = 8, 3
    scope = {"policy": policy}
    found = blocks()
    assert len(found) >= 3
    for block in found:
        exec(compile(block, str(PAGE), "exec"), scope)
    assert scope["b"].qpos.shape == (4096, scope["m"].nq) and len(scope["tr"].events) > 0


def test_the_same_on_a_robot_of_others(monkeypatch):
    """CRADLE_MENAGERIE: a checkout of MuJoCo's models."""
    folder = os.environ.get("CRADLE_MENAGERIE")
    if not folder or not Path(folder, "unitree_go1", "scene.xml").exists():
        pytest.skip("CRADLE_MENAGERIE names no folder with unitree_go1/scene.xml")
    monkeypatch.chdir(folder)
    policy.nu, policy.size = 12, 6
    scope = {"policy": policy, "ctrl": np.zeros((4096, 12))}
    with pytest.warns(cradle.StateMoved):  # its feet are in the floor
        exec(AS_IT_STANDS, scope)
    assert scope["b"].qpos.shape == (4096, 19) and len(scope["m"].ignored) > 10 and not scope["tr"].truncated
    assert np.linalg.norm(scope["sim"].sensor("imu")[:3]) == pytest.approx(9.81, rel=1e-3)  # it has come to rest
    page = PAGE.read_text("utf-8")
    for line in AS_IT_STANDS.strip().splitlines()[2:-1]:  # the page has the same, but for the names of the model and the controls
        assert line in page


def test_plots(pup, falling):
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot
    p = pup.contact_problem(*falling, mu=0.8)
    ax = p.outcomes(samples=256).plot("FR.n", "FL.n")
    assert ax.get_xlabel() == "FR.n (m/s)" and len(ax.lines) > 3
    panels = p.check().plot_region()
    assert len(panels) == 4 and p.check().plot_region("FR").get_title() == "FR"
    sim = cradle.Sim(pup)
    sim.reset(*falling)
    ax = sim.run(0.05).plot_energy()
    assert ax.get_ylabel() == "energy (J)" and len(ax.lines) >= 4
    with pytest.raises(ValueError, match="axes: found 3"):
        p.outcomes(samples=16).plot("FR.n", "FL.n", "RR.n")
    pyplot.close("all")

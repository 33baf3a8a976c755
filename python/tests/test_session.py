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
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)


def policy(imu):
    assert imu.shape == (3,)
    return np.zeros(policy.nu)


def test_the_session_of_the_page(tmp_path, monkeypatch):
    shutil.copytree(MODELS / "parts", tmp_path / "parts")
    shutil.copy(MODELS / "pup.xml", tmp_path)
    monkeypatch.chdir(tmp_path)
    policy.nu = 8
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
    text = Path(folder, "unitree_go1", "scene.xml").read_text().replace(
        "</mujoco>", '<sensor><accelerometer name="imu" site="imu"/></sensor></mujoco>')  # its file has none
    monkeypatch.chdir(folder)
    whole = "\n".join(blocks()[:1]).replace('cradle.Model("pup.xml")',
                                            'cradle.Model.from_text(text, "unitree_go1/scene.xml")')
    policy.nu = 12
    with pytest.warns(cradle.StateMoved):  # its feet are in the floor
        exec(whole, {"policy": policy, "text": text})


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

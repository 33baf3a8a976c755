"""Outcomes and checks: known sets, seeds, files, printing."""
import json
import pickle

import numpy as np
import pytest

import cradle


@pytest.fixture
def gait():
    return cradle.Model("@compass-gait")


@pytest.fixture
def struck(gait):
    key = gait.key(0)
    return gait.contact_problem(key.qpos, key.qvel)


def test_a_single_frictionless_contact_has_one_outcome():
    p = cradle.ContactProblem({"M": [[2.0]], "v": [-3.0], "contacts": [{"name": "A", "n": [1], "mu": 0}]})
    o = p.outcomes(samples=256)
    assert np.allclose(o["A.n"], 0, atol=1e-9) and o.at_rest == 256 == o.terminated and np.allclose(o["v[0]"], 0)


def test_outcomes_do_not_approach_and_lose_energy(struck):
    o = struck.outcomes(samples=4096, seed=3)
    assert o.claim == "inner" and o.v_plus.shape == (4096, struck.nv) and o.energy_ratio[1] <= 1 + 1e-9
    done = o.v_plus[o.ending == 0]
    for c in struck.contacts:
        assert (done @ struck.J[c.row] > -1e-6).all()
        assert np.allclose(o[c.name + ".n"], done @ struck.J[c.row], atol=1e-9)
    assert o.extent[:, 0] == pytest.approx((done @ struck.J.T).min(axis=0), abs=1e-9)
    one = struck.outcomes(samples=4096, seed=3, threads=1)
    assert np.array_equal(one.v_plus, o.v_plus)
    assert not np.array_equal(struck.outcomes(samples=4096, seed=4).v_plus, o.v_plus)


def test_the_hull_holds_the_outcomes(struck):
    o = struck.outcomes(samples=2048)
    axes = [f"{name}.n" for name in struck.contacts.names[:2]]
    hull = o.hull(axes)
    points = o.points(*axes)
    assert hull.points.min(axis=0) == pytest.approx(points.min(axis=0), abs=1e-9)
    assert hull.points.max(axis=0) == pytest.approx(points.max(axis=0), abs=1e-9)
    if hull.dim == 2:  # area by the shoelace formula
        x, y = hull.points.T
        assert hull.measure == pytest.approx(0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)), rel=1e-9)
    with pytest.raises(ValueError, match="axes: found 1"):
        o.hull(["v[0]"])
    with pytest.raises(KeyError, match="axis: found 'Z.n'"):
        o["Z.n"]


def test_options_of_sampling(struck):
    for options, text in [({"pattern": "x"}, "pattern: found 'x', expected one of uniform"), ({"samples": 0}, "samples"),
                          ({"h": -1}, "h: found -1"), ({"delta": 2}, "delta"), ({"box": {"x": 1}}, "box: found 'x'"),
                          ({"facets": 3}, "facets|argument"), ({"seed": 1.5}, "seed")]:
        with pytest.raises((ValueError, TypeError), match=text):
            struck.outcomes(**{"samples": 16, **options})
    assert struck.outcomes(samples=64, box={"mu": 0.1, "draws": 4}).terminated > 0
    empty = cradle.ContactProblem({"M": [[1.0]], "v": [1.0], "contacts": []})
    with pytest.raises(ValueError, match="without contacts"):
        empty.outcomes()


def test_files_of_outcomes_are_read_back(struck, tmp_path):
    o = struck.outcomes(samples=512, seed=9)
    o.save(tmp_path / "x.h5")
    file = cradle.open(tmp_path / "x.h5")
    assert len(file) == 1 and np.array_equal(file[0].v_plus, o.v_plus) and file[0].seed == 9
    name = struck.contacts.names[0] + ".n"
    assert np.array_equal(file[0][name], o[name])
    views = file[0].v_plus
    del file
    assert np.array_equal(views, o.v_plus)
    again = pickle.loads(pickle.dumps(o))
    assert np.array_equal(again.v_plus, o.v_plus)


def test_outcomes_printed_as_the_program_does(two_balls, tmp_path, program):
    file = tmp_path / "two.json"
    two_balls.save(file)
    said = json.loads(program("outcomes", file, "--samples", "256", "--seed", "5", "--json"))
    mine = two_balls.outcomes(samples=256, seed=5, threads=1).to_dict()
    assert {k: v for k, v in mine.items() if k != "wall_s"} == {k: v for k, v in said.items() if k != "wall_s"}
    assert "claim: inner" in repr(two_balls.outcomes(samples=16))


def test_a_check_says_what_the_program_says(struck, gait, program, tmp_path):
    c = struck.check()
    assert repr(c) == program("check", "@compass-gait").rstrip("\n")
    said = json.loads(program("check", "@compass-gait", "--json"))
    assert c.to_dict() == said and c["lmi"] == said["lmi"] and c.verdicts[0]["about"] == "restitution"
    assert pickle.loads(pickle.dumps(c)).to_dict() == said


def test_contacts_at_rest_are_checked_with_their_motion(pup, program):
    from conftest import MODELS
    p = pup.contact_problem(pup.key("home").qpos)
    c = p.check()
    assert c["persistent"] is not None and "motion 1" in repr(c)


def test_regions_agree_with_the_formula_of_a_sliding_point():
    """A point of mass 1 hits a plane at 45 degrees with W = 1: sticks where |v_t| <= mu (1 + e) |v_n| (11a), and sticking
    costs v_t^2, so no energy is gained as long as e^2 v_n^2 <= v_n^2 + v_t^2, for all e."""
    p = cradle.ContactProblem({"M": np.eye(2), "v": [1.0, -1.0],
                               "contacts": [{"name": "A", "n": [0, 1], "t": [[1, 0]], "mu": 0.5, "e": 0.2}]})
    r = p.check().region("A", mu_max=2.0, n=21)
    assert r.admissible.shape == (21, 21) and r.admissible.all() and r.mu[-1] == 2 and r.e[-1] == 1


def test_pairs_of_coefficients(two_balls):
    pair = two_balls.check().pair("low", "high", n=5)
    assert pair.contacts == ("low", "high") and pair.low[0] == 0 and (pair.high >= pair.low).all()
    with pytest.raises(ValueError, match="second"):
        two_balls.check().pair(0, 0)
    with pytest.raises(KeyError):
        two_balls.check().region("nobody")


def test_pages(struck, tmp_path):
    for shown in (struck.check(), struck.outcomes(samples=64), struck):
        assert "<iframe" in shown._repr_html_()
    struck.check().save_page(tmp_path / "check.html")
    assert (tmp_path / "check.html").read_text("utf-8").lstrip().lower().startswith("<!doctype html")

"""Laws: closed forms, the verifier, printing."""
import json
import pickle

import numpy as np
import pytest

import cradle


def ball(e):
    return cradle.ContactProblem({"M": [[2.0]], "v": [-3.0],
                                  "contacts": [{"name": "floor", "n": [1], "mu": 0, "e": e}]})


@pytest.mark.parametrize("law", ["newton", "poisson", "moreau"])
@pytest.mark.parametrize("e", [0.0, 0.25, 1.0])
def test_a_ball_rebounds_with_e(law, e):
    (s,) = ball(e).resolve(law)
    assert s.v_plus[0] == pytest.approx(3 * e, abs=1e-12)
    assert s.p[0] == pytest.approx(2 * 3 * (1 + e), rel=1e-12)
    assert s.energy_ratio == pytest.approx(e * e, abs=1e-12)
    assert s.kinetic_before == pytest.approx(9.0)
    assert s.check["energy_gain"] <= 1e-9 and not s.check["pulls"]


def test_every_answer_satisfies_momentum(pup, falling):
    p = pup.contact_problem(*falling, mu=0.8, e=0.0)
    answers = [s for law in cradle.laws for s in p.resolve(law)]
    assert len(answers) > len(cradle.laws) // 2
    for s in answers:
        assert np.allclose(p.M @ (s.v_plus - p.v), p.J.T @ s.p, atol=1e-9)
        assert np.allclose(s.u_plus, p.J @ s.v_plus, atol=1e-9)
        assert len(s.modes) == 4 and set(s.modes) <= {"stick", "slip", "separate", "none"}


def test_a_law_that_does_not_apply_says_so_and_has_no_answers(pup, falling):
    r = pup.contact_problem(*falling).resolve("stick-slip")  # for a single contact; here are four
    assert not r.applies and len(r) == 0 and any("single contact" in note for note in r.notes)
    with pytest.raises(IndexError):
        r[0]


def test_laws_tell_what_they_are():
    assert "moreau" in cradle.laws and all(law.title and law.source for law in cradle.laws)
    assert cradle.laws[0].upper() == "PROJECTION"


def test_printed_as_the_program_does(two_balls, tmp_path, program, monkeypatch):
    two_balls.save(tmp_path / "problem")  # any ending
    file = tmp_path / "problem.json"
    two_balls.save(file)
    for width in ("40", "100"):
        monkeypatch.setenv("COLUMNS", width)
        for p in (cradle.open(file), pickle.loads(pickle.dumps(cradle.open(file)))):
            assert p.input == str(file)
            assert repr(p.resolve_all()) == program("impact", file).rstrip("\n")
            assert repr(p) == program("info", file).rstrip("\n")
            assert p.resolve_all().to_dict() == json.loads(program("impact", file, "--json"))
    assert two_balls.input == "problem" and repr(two_balls.resolve_all()).startswith("problem: ")


def test_options(two_balls):
    assert two_balls.resolve("newton", e=0.0)[0].energy_ratio < two_balls.resolve("newton")[0].energy_ratio
    assert two_balls.resolve("sequential", order=["high", "low"])[0].label
    for options, kind, text in [({"facets": 7}, ValueError, "facets: found 7"), ({"facets": 2}, ValueError, "facets"),
                                ({"rate": [1.0]}, ValueError, r"rate: found shape \(1,\), expected \(2,\)"),
                                ({"rate": [1.0, -1.0]}, ValueError, "rate: found -1"),
                                ({"order": ["nobody"]}, KeyError, "nobody"), ({"e": 2}, ValueError, "e: found 2"),
                                ({"max_solutions": 0}, ValueError, "max_solutions"), ({"what": 1}, TypeError, "what"),
                                ({"round_cone": 1}, TypeError, "round_cone")]:
        with pytest.raises(kind, match=text):
            two_balls.resolve("poisson", **options)
    with pytest.raises(ValueError, match="law: found 'newtn', expected one of projection"):
        two_balls.resolve("newtn")
    with pytest.raises(TypeError, match="law: found int"):
        two_balls.resolve(3)


def test_pickles(two_balls):
    r = two_balls.resolve("poisson", e=0.25)
    again = pickle.loads(pickle.dumps(r))
    assert np.array_equal(again[0].p, r[0].p) and again.law == "poisson"


def test_side_by_side(two_balls):
    all_laws = two_balls.resolve_all()
    assert all_laws["newton"].law == "newton" and len(all_laws) == len(cradle.laws)
    table = all_laws.to_pandas()
    assert {"law", "energy_ratio", "low.n", "high.mode"} <= set(table.columns)
    assert "<iframe" in all_laws._repr_html_()

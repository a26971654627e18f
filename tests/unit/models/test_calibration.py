"""The lines of each model."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest

from bench import calibrate
from recalld_server.models.base import Calibration, ModelSetupError, load_calibration, uncalibrated
from recalld_server.models.hash import HashEmbedder
from recalld_server.models.local import LocalEmbedder


def test_the_shipped_models_are_calibrated(tmp_path: Path) -> None:
    for model_id in (LocalEmbedder(tmp_path).id, HashEmbedder().id):
        assert load_calibration(model_id).model_id == model_id
        assert load_calibration(model_id) != uncalibrated(model_id)


def test_an_operators_own_calibration_comes_first(tmp_path: Path) -> None:
    model_id = HashEmbedder().id
    own = Calibration(model_id, duplicate_line=0.9, conflict_line=0.5, score_floor=0.1, score_ceiling=0.8)
    (tmp_path / "own.json").write_text(json.dumps(asdict(own)))
    assert load_calibration(model_id, tmp_path) == own
    assert load_calibration("openai:m", tmp_path) == uncalibrated("openai:m")


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"model_id": "m"}',
        '{"model_id": "m", "duplicate_line": 0.4, "conflict_line": 0.5, "score_floor": 0, "score_ceiling": 1}',
        '{"model_id": "m", "duplicate_line": 0.9, "conflict_line": 0.5, "score_floor": 1, "score_ceiling": 1}',
    ],
)
def test_a_file_that_is_no_calibration_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.json").write_text(text)
    with pytest.raises(ModelSetupError, match=r"mine\.json"):
        load_calibration("m", tmp_path)


def test_scores_run_from_zero_to_one() -> None:
    calibration = Calibration("m", 0.9, 0.5, 0.2, 0.6)
    assert [calibration.score(cosine) for cosine in (-1, 0.2, 0.4, 0.6, 1)] == pytest.approx([0, 0, 0.5, 1, 1])


async def test_the_script_measures_what_is_shipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await calibrate.run(calibrate.parse(["hash", "--output", str(tmp_path)]))
    assert load_calibration(HashEmbedder().id, tmp_path) == load_calibration(HashEmbedder().id)
    assert os.listdir(tmp_path) == ["hash-384-1.json"]
    assert "other_value" in capsys.readouterr().out


async def test_the_local_lines_part_what_they_should(local: LocalEmbedder) -> None:
    pairs = [pair for pair in calibrate.read_pairs() if pair.language != "cross"]
    measured = await calibrate.measure(local, pairs)
    lines = load_calibration(local.id)
    assert (measured.of(("unrelated",)) < lines.conflict_line).all()
    assert (measured.of(("related",)) < lines.duplicate_line).all()
    assert (measured.of(calibrate.SAME_ATTRIBUTE) >= lines.conflict_line).mean() > 0.95

"""Measures how a model's cosines are to be read, on the labelled pairs of `bench/data`, and writes the calibration.

    python bench/calibrate.py local --cache-dir DIR
    python bench/calibrate.py hash
    python bench/calibrate.py openai --model NAME --base-url URL [--output DIR]

`--centring` first measures the language means of the local model anew; they are a part of its id. The API key of a
model server is taken from the variable RECALLD_EMBEDDER_API_KEY.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from recalld_server.models.base import Calibration, Embedder, EmbeddingBatch
from recalld_server.models.centring import LANGUAGES
from recalld_server.models.e5_encoder import Encoder
from recalld_server.models.factory import make_embedder
from recalld_server.models.local import PASSAGE_PREFIX

DATA = Path(__file__).parent / "data"
MODELS = Path(__file__).parent.parent / "server" / "recalld_server" / "models"
RELATIONS = ("paraphrase", "other_value", "related", "unrelated", "answer")
SAME_ATTRIBUTE = ("paraphrase", "other_value")
SETS = ("en", "zh", "cross")
MARGIN = 0.005
"""How far the duplicate line lies above every pair that is merely related, at least."""
MISSED = 1
"""Percent of the pairs about one attribute that may lie under the conflict line."""
KNOWN = 0.9
"""Separation of pairs about one attribute from unrelated ones, from which on a model counts as knowing a language."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts and how they belong together; in an "answer", `a` is a question and `b` holds its answer."""

    language: str
    relation: str
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Measured:
    """Cosine of every pair, and of every question with the statements of its language that answer other questions."""

    pairs: list[Pair]
    cosines: Floats
    strangers: Floats

    def of(self, relations: Sequence[str], languages: Sequence[str] = SETS) -> Floats:
        """The cosines of the pairs of these relations and languages."""
        wanted = [pair.relation in relations and pair.language in languages for pair in self.pairs]
        found: Floats = self.cosines[np.array(wanted)]
        return found


def read_pairs() -> list[Pair]:
    """The labelled pairs."""
    lines = (DATA / "calibration_pairs.jsonl").read_text(encoding="utf-8").splitlines()
    return [Pair(**json.loads(line)) for line in lines]


def stacked(batch: EmbeddingBatch) -> Floats:
    """All vectors of a batch, (n, dimensions). Raises ValueError when one is missing."""
    return np.stack([vector for vector in batch.vectors if vector is not None]).astype(np.float64)


async def measure(embedder: Embedder, pairs: list[Pair]) -> Measured:
    """Embeds the pairs as the server would: questions as queries, everything else as passages."""
    right = stacked(await embedder.embed_passages([pair.b for pair in pairs]))
    left = stacked(await embedder.embed_passages([pair.a for pair in pairs]))
    questions = [number for number, pair in enumerate(pairs) if pair.relation == "answer"]
    left[questions] = stacked(await embedder.embed_queries([pairs[number].a for number in questions]))
    cosines = np.einsum("ij,ij->i", left, right)
    languages = np.array([pairs[number].language for number in questions])
    same_language = languages[:, None] == languages[None]
    strangers = (left[questions] @ right[questions].T)[same_language & ~np.eye(len(questions), dtype=bool)]
    return Measured(pairs, cosines, strangers)


def calibrate(model_id: str, measured: Measured) -> Calibration:
    """The lines. Above the duplicate line lie half of the paraphrases, and no pair that is merely related.

    No cosine tells a paraphrase from the same statement with another value (see the table), so the line is for a reader
    who has excluded that. The conflict line is drawn where the model knows what it compares: not across languages for one that cannot.
    """
    known = [
        language
        for language in SETS
        if separation(measured.of(SAME_ATTRIBUTE, (language,)), measured.of(("unrelated",), (language,))) >= KNOWN
    ]
    same_attribute = measured.of(SAME_ATTRIBUTE, known)
    paraphrases, others = measured.of(("paraphrase",), ("en", "zh")), measured.of(("related", "unrelated"))
    return Calibration(
        model_id=model_id,
        duplicate_line=round(min(1.0, max(float(np.median(paraphrases)), float(others.max()) + MARGIN)), 3),
        conflict_line=round(float(np.percentile(same_attribute, MISSED)), 3),
        score_floor=round(float(np.median(measured.strangers)), 3),
        score_ceiling=round(float(np.percentile(measured.of(("answer",)), 95)), 3),
    )


def separation(higher: Floats, lower: Floats) -> float:
    """Probability that a random cosine of `higher` is above one of `lower` (area under the ROC curve)."""
    wins = (higher[:, None] > lower[None]).mean()
    return float(wins + (higher[:, None] == lower[None]).mean() / 2)


def report(measured: Measured, lines: Calibration) -> str:
    """The table: the spread of the cosines by relation and language, and what the lines do to them."""
    rows = [f"{'':8}{'relation':14}{'pairs':>6}{'min':>8}{'median':>8}{'max':>8}{'≥ conflict':>12}{'> duplicate':>13}"]
    for language in SETS:
        for relation in RELATIONS:
            cosines = measured.of((relation,), (language,))
            above = "" if relation == "answer" else f"{(cosines >= lines.conflict_line).mean():12.0%}"
            dropped = "" if relation == "answer" else f"{(cosines > lines.duplicate_line).mean():13.0%}"
            spread = f"{cosines.min():8.3f}{np.median(cosines):8.3f}{cosines.max():8.3f}"
            rows.append(f"{language:8}{relation:14}{len(cosines):6}{spread}{above}{dropped}")
        answers, strangers = measured.of(("answer",), (language,)), measured.strangers
        rows.append(
            f"{language:8}separation: same attribute from related "
            f"{separation(measured.of(SAME_ATTRIBUTE, (language,)), measured.of(('related',), (language,))):.3f}, "
            f"related from unrelated "
            f"{separation(measured.of(('related',), (language,)), measured.of(('unrelated',), (language,))):.3f}, "
            f"answer from other statements {separation(answers, strangers):.3f}"
        )
    return "\n".join([*rows, json.dumps(asdict(lines), indent=1)])


def measure_centring(cache_dir: Path) -> None:
    """Writes the mean passage vector of each language, as the encoder gives it."""
    encoder = Encoder(cache_dir)
    sentences: dict[str, list[str]] = json.loads((DATA / "centring_sentences.json").read_text(encoding="utf-8"))
    means = {}
    for language in LANGUAGES:
        vectors = [encoder.encode(encoder.windows(text, PASSAGE_PREFIX)[0]) for text in sentences[language]]
        means[language] = [round(float(number), 6) for number in np.mean(vectors, axis=0)]
    (MODELS / "data" / "e5_centring.json").write_text(json.dumps(means) + "\n", encoding="utf-8")


async def run(options: argparse.Namespace) -> None:
    """Measure, print, write."""
    embedder = make_embedder(
        options.kind,
        model=options.model,
        base_url=options.base_url,
        api_key=os.environ.get("RECALLD_EMBEDDER_API_KEY"),
        dimensions=options.dimensions,
        cache_dir=options.cache_dir,
    )
    await embedder.start()
    try:
        measured = await measure(embedder, read_pairs())
    finally:
        await embedder.close()
    lines = calibrate(embedder.id, measured)
    print(report(measured, lines))
    file = options.output / (re.sub(r"[^a-z0-9.]+", "-", _family(embedder.id).lower()).strip("-") + ".json")
    file.write_text(json.dumps(asdict(lines), indent=1) + "\n", encoding="utf-8")
    print(f"written to {file}")


def _family(model_id: str) -> str:
    """The id without the digest at its end, so that a new measurement of one model replaces the old."""
    return re.sub(r":c\d+-[0-9a-f]+$", "", model_id)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add: Any = parser.add_argument
    add("kind", choices=["local", "hash", "openai", "tei"])
    add("--model", default="")
    add("--base-url", default="")
    add("--dimensions", type=int)
    add("--cache-dir", type=Path, help="where the local model keeps its encoder")
    add("--output", type=Path, default=MODELS / "calibration", help="directory of the calibration file")
    add("--centring", action="store_true", help="measure the language means of the local model first")
    options = parser.parse_args(arguments)
    if options.kind == "local" and options.cache_dir is None:
        parser.error("local needs --cache-dir")
    if options.centring and options.kind != "local":
        parser.error("--centring is for local")
    return options


def main() -> None:
    options = parse()
    if options.centring:
        measure_centring(options.cache_dir)
    asyncio.run(run(options))


if __name__ == "__main__":
    main()

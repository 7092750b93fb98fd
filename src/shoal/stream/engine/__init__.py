"""The engine of a stream: records, frames or arrays in, groups of k out within a bounded delay."""

from shoal.stream.engine.settings import (
    ClosenessSetting,
    ContinuousSetting,
    NominalSetting,
    OrdinalSetting,
    StreamSettings,
)
from shoal.stream.engine.stats import StreamStats
from shoal.stream.engine.stream_anonymizer import StreamAnonymizer
from shoal.stream.engine.stream_engine import REASONS, Released, StreamEngine

__all__ = [
    "REASONS",
    "ClosenessSetting",
    "ContinuousSetting",
    "NominalSetting",
    "OrdinalSetting",
    "Released",
    "StreamAnonymizer",
    "StreamEngine",
    "StreamSettings",
    "StreamStats",
]

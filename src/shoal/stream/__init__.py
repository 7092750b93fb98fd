"""Streams: k-anonymity within a bounded delay (Domingo-Ferrer and Soria-Comas 2017, section V).

``engine`` anonymizes: records, frames or arrays in, groups out. ``connect`` stands around it: sources, sinks, what is
kept across a crash, what is reported while it runs.
"""

from shoal.stream.engine import StreamAnonymizer, StreamStats

__all__ = ["StreamAnonymizer", "StreamStats"]

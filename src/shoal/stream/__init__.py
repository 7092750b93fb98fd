"""Streams: k-anonymity within a bounded delay (P4 §V)."""

from shoal.stream.anonymizer import StreamAnonymizer

__all__ = ["StreamAnonymizer"]

"""Streams: k-anonymity within a bounded delay (Domingo-Ferrer and Soria-Comas 2017, section V)."""

from shoal.stream.anonymizer import StreamAnonymizer

__all__ = ["StreamAnonymizer"]

"""Streams: k-anonymity within a bounded delay (P4 §V)."""

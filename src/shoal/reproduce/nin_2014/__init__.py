"""Nin 2014: microaggregation in one dimension, Mic1D-k."""

"""Anonymize microdata and data streams by microaggregation."""

"""Soria-Comas et al. 2015: t-closeness through microaggregation."""

"""Domingo-Ferrer and Soria-Comas 2017: steered microaggregation."""

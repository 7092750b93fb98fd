"""Domingo-Ferrer and Torra 2005: MDAV."""

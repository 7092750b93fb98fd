"""Partitioners: points and a minimum group size in, the group of each record out."""

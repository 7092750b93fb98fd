"""Constraints on groups: t-closeness and diversity of the confidential attributes."""

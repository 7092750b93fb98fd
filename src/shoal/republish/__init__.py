"""Releases over time: earlier releases of one table, the ledger of a growing one, and what sums of releases leave."""

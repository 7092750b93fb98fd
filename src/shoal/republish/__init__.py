"""Releases over time: earlier releases of one table, the ledger of a growing one, and what sums of releases leave."""

import shoal.run  # noqa: F401  # it names what stands here: whichever room is asked for first, both are loaded in one order

"""Tables and streams of Apache Spark: the same plans and the same guarantees where the data already are.

It is a shell: what forms groups, masks and judges is the engine that tables and streams on one machine use. This is the
only room that imports pyspark (``pip install 'shoal[spark]'``), and it does so when something is first asked of it.
"""

from __future__ import annotations

__all__: list[str] = []

"""CSV, with whatever delimiter, decimal mark, encoding and line end.

``dialect`` is how a file is written, ``_read`` cuts its cells as text, ``parse`` makes numbers and dates of them,
``_write`` writes them again, and ``format`` describes all this to the registry.
"""

"""CSV, with whatever delimiter, decimal mark, encoding and line end.

``dialect`` is how a file is written, ``text_table`` cuts its cells as text and writes them again, and ``parse`` makes
numbers and dates of them; ``files/csv_format.py`` describes all this to the registry.
"""

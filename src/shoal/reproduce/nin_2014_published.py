"""What Nin 2014 prints on Census: the attributes an intruder knows (Table 3), SSE and k' (4), and scores (6)."""

from __future__ import annotations

from itertools import product


def _sets(text: str) -> list[tuple[int, ...]]:
    return [tuple(map(int, digits)) for digits in text.split()]


KNOWN = {
    "correlated": (
        _sets("123 456 789"),
        _sets("125 137 236 145 246 569 678 189 279"),
        _sets("147 158 169 247 258 269 347 358 369"),
    ),
    "non-correlated": (
        _sets("147 258 369"),
        _sets("145 137 478 125 248 589 368 169 349"),
        _sets("123 156 189 234 456 489 237 567 789"),
    ),
}
"""Attributes of one block, of two and of three (1G, 2G, 3G), by their numbers from 1."""

_PARAMETERS = [*product(("MDAV", "PCP", "Zscores"), (5, 25, 50)), *product(("Mic1D",), (3000, 4000, 5000))]


def _by_key(tables: dict[str, str]) -> dict[tuple[str, str, int], tuple[float, ...]]:
    return {
        (blocks, *parameters): tuple(map(float, line.split()))
        for blocks, text in tables.items()
        for parameters, line in zip(_PARAMETERS, text.strip().splitlines(), strict=True)
    }


# SSE, then k' for 1G, 2G, 3G.
PUBLISHED_ANONYMITY = _by_key(
    {
        "correlated": """
        64.99   5.00  1.92  1.00
        223.73 25.12  7.00  1.09
        328.31 51.43 14.66  1.41
        131.05  5.06  1.91  1.00
        320.76 25.12  6.72  1.02
        441.66 51.43 13.97  1.15
        66.62   5.05  1.91  1.00
        159.95 25.12  6.80  1.04
        243.81 51.43 14.23  1.30
        32.27   8.37  9.87  5.77
        129.06 20.10 22.09 13.89
        738.12 72.83 76.08 55.02
        """,
        "non-correlated": """
        58.49   5.00  1.96  1.02
        260.13 25.12  7.35  1.24
        356.47 51.43 15.86  2.05
        124.99  5.03  1.91  1.00
        251.53 25.12  6.74  1.03
        382.69 51.43 14.00  1.22
        121.68  5.04  1.93  1.00
        242.26 25.12  6.97  1.07
        354.83 51.43 14.86  1.45
        32.27   5.63  8.51  8.04
        129.06 13.53 19.45 19.19
        738.12 59.77 67.77 67.25
        """,
    }
)

# IL, DLD, ID, score.
PUBLISHED_SCORES = _by_key(
    {
        "correlated": """
        31.67 34.11 69.70 41.79
        51.14 11.70 54.65 42.16
        60.19  5.68 47.75 43.45
        63.18  4.35 47.63 44.59
        57.31  2.23 38.53 38.85
        57.86  1.81 34.41 37.98
        59.64 12.13 57.71 47.28
        79.90  6.96 52.86 54.90
        89.33  6.25 50.09 58.75
        22.17 35.95 54.16 33.61
        57.31 16.91 48.53 45.02
        82.44  4.94 32.22 50.51
        """,
        "non-correlated": """
        41.47 23.14 63.03 42.28
        51.47  6.56 49.07 39.64
        44.11  3.26 43.87 33.84
        55.70  3.75 42.71 39.47
        78.39  2.02 34.81 48.40
        83.30  1.50 32.29 50.10
        51.76  4.80 51.66 40.00
        86.58  2.37 47.19 55.68
        90.81  2.43 43.80 56.96
        22.17 35.95 54.16 33.61
        57.31 16.91 48.53 45.02
        82.44  4.94 32.22 50.51
        """,
    }
)

"""A generated hospital table with what real ones have: codes, postcodes, dates, free text, numbers and gaps."""

from __future__ import annotations

import numpy as np
import polars as pl

DIAGNOSES = ("J45.0", "J18.9", "I21.4", "I50.1", "E11.9", "S72.0", "C50.9", "F32.1", "K35.8", "N18.3", "O80", "Z38.0")
WORDS = "seen again after two weeks with fever pain cough since the last visit at home alone"
ROLES = {
    "patient_id": "identifier",
    "full_name": "identifier",
    "email": "identifier",
    "phone": "identifier",
    "nat_no": "identifier",
    "notes": "identifier",
    "born": "quasi_identifier",
    "sex": "quasi_identifier",
    "postcode": "quasi_identifier",
    "zip": "quasi_identifier",
    "admitted": "quasi_identifier",
    "children": "quasi_identifier",
    "education": "quasi_identifier",
    "ward": "quasi_identifier",
    "roof": "quasi_identifier",
    "icd": "confidential",
    "severity": "confidential",
    "charge": "confidential",
    "survey_weight": "other",
    "x17": "?",
}
"""What each column is, `?` where only a person can know."""

KINDS = {
    "born": "date",
    "sex": "nominal",
    "postcode": "nominal",
    "zip": "nominal",
    "admitted": "date",
    "children": "numeric",
    "education": "ordinal",
    "ward": "nominal",
    "roof": "nominal",
    "icd": "nominal",
    "severity": "ordinal",
    "charge": "numeric",
    "survey_weight": "numeric",
    "x17": "numeric",
}


def hospital(n: int = 4000, *, patients: int = 1500, seed: int = 0) -> pl.DataFrame:
    """Return a table as it stands in a CSV file: numbers are numbers, everything else is text."""
    random = np.random.default_rng(seed)
    who = random.integers(0, patients, n)
    postcodes = np.sort(random.choice(90_000, 1000, replace=False)) + 1000
    born = np.datetime64("1930-01-01") + random.integers(0, 30_000, patients)
    admitted = np.datetime64("2022-01-01") + random.integers(0, 700, n)
    code = random.choice(postcodes, patients)
    words = np.array(WORDS.split())
    unknown = random.random(n) < 0.02
    children = random.poisson(1.6, patients)
    return pl.DataFrame(
        {
            "patient_id": [f"H{number:06d}" for number in who],
            "full_name": [f"{'ABCDEFGHIJ'[i % 10]}. {'KLMNOPQRST'[i // 10 % 10]}arr" for i in who],
            "email": [f"p{i}@mail{i % 7}.example" for i in who],
            "phone": [f"+34 {600 + i % 90} {i % 1000:03d} {i * 7 % 1000:03d}" for i in who],
            "nat_no": [f"{10_000_000 + i * 37}{'TRWAGMYFPD'[i % 10]}" for i in who],
            "notes": [" ".join(random.choice(words, 9)) for _ in range(n)],
            "born": born[who].astype(str),
            "sex": random.integers(1, 3, patients)[who],
            "postcode": [f"{value:05d}" for value in code[who]],
            "zip": code[who],
            "admitted": [None if gone else str(day) for gone, day in zip(unknown, admitted, strict=True)],
            "children": children[who],
            "education": np.where(random.random(n) < 0.05, -9, random.integers(1, 6, patients)[who]),
            "ward": random.choice(["surgery", "oncology", "maternity", "cardiology"], n),
            "roof": random.integers(1, 8, patients)[who],
            "icd": random.choice(DIAGNOSES, n),
            "severity": random.choice(["minor", "moderate", "major", "extreme"], n),
            "charge": np.where(random.random(n) < 0.03, "NA", np.round(random.gamma(2, 900, n), 2).astype(str)),
            "survey_weight": np.round(random.gamma(3, 40, n) + 1, 4),
            "x17": np.round(random.normal(0, 1, n), 3),
        }
    )  # fmt: skip

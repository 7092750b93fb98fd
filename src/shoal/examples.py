"""Example data that nobody has to protect: a generated table of hospital discharges.

People, places and amounts are invented, but they hang together as in a hospital: hearts fail in old age and lungs in
winter, severe cases stay longer and cost more, births happen to women, children lie in the children's ward.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PlanError

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


class Diagnosis(NamedTuple):
    """A diagnosis group: how often, whom it meets, when, and what it takes."""

    name: str
    share: float
    age: float
    age_spread: float
    women: float
    severity: float  # shifts the whole scale of severity
    days: float  # typical stay of a moderate case
    day_cost: float
    fixed_cost: float
    season: float  # how much more often at its peak than on average
    peak: int  # day of the year
    ward: str


DIAGNOSES = (
    Diagnosis("circulatory", 0.19, 70, 12, 0.44, 0.35, 5.5, 620, 2600, 0.15, 20, "cardiology"),
    Diagnosis("digestive", 0.14, 54, 19, 0.49, -0.10, 3.8, 480, 1900, 0.05, 200, "surgery"),
    Diagnosis("injury", 0.13, 50, 24, 0.46, 0.00, 4.2, 560, 2800, 0.20, 200, "surgery"),
    Diagnosis("mental", 0.07, 43, 16, 0.53, -0.20, 11.0, 310, 600, 0.08, 110, "psychiatry"),
    Diagnosis("musculoskeletal", 0.11, 62, 14, 0.57, -0.30, 3.6, 520, 4200, 0.05, 130, "orthopaedics"),
    Diagnosis("neoplasm", 0.12, 64, 13, 0.50, 0.45, 6.4, 690, 3900, 0.02, 90, "oncology"),
    Diagnosis("pregnancy", 0.11, 31, 5.5, 1.00, -0.90, 2.4, 430, 1300, 0.06, 260, "maternity"),
    Diagnosis("respiratory", 0.13, 61, 24, 0.47, 0.25, 5.8, 540, 1500, 0.65, 15, "internal medicine"),
)
SEVERITIES = ("minor", "moderate", "major", "extreme")
SEXES = ("female", "male")
WARDS = tuple(sorted({d.ward for d in DIAGNOSES} | {"intensive care", "paediatrics"}))
WOMEN = "Ada Ana Beth Carla Dina Elsa Eva Fay Gala Hana Ida Ines Joan Kaia Lara Lia Mara Nora Olga"
MEN = "Abel Alan Boris Carl Dan Eric Finn Gil Hugo Igor Ivan Jan Karl Leo Marc Nils Otto Pau Quim"
FAMILIES = (
    "Abbot Baker Bosch Camps Costa Dalmau Evans Farrell Ferrer Garcia Haas Ibarra Jansen Keller Lopez Martin Mora "
    "Nadal Olsen Pons Quintana Riera Roca Serra Soler Torres Ulrich Vidal Weber Ximenez Young Zapata"
)
POSTCODES = tuple(f"{8001 + step:05d}" for step in range(42))
FIRST_DAY = np.datetime64("2023-01-01", "D")
DAYS = 730
OLDEST = 101


class _Dice:
    """Uniform numbers from the bare bit stream, whose values NumPy promises to keep from version to version."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def uniform(self, n: int) -> Floats:
        return (self._bits.random_raw(n) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def normal(self, n: int) -> Floats:
        """Box and Muller's transform, one number of each pair."""
        radius = np.sqrt(-2.0 * np.log1p(-self.uniform(n)))
        return radius * np.cos(2.0 * np.pi * self.uniform(n))

    def choose(self, n: int, shares: Floats) -> Codes:
        """Positions drawn in proportion to shares."""
        return _pick(self.uniform(n), shares)


def _pick(uniform: Floats, shares: Floats) -> Codes:
    edges = np.cumsum(shares / shares.sum())
    return np.minimum(np.searchsorted(edges, uniform, side="right"), len(shares) - 1)


def discharges(n: int = 5000, *, patients: int | None = None, seed: int = 0) -> pl.DataFrame:
    """Generate a table of hospital discharges.

    Parameters
    ----------
    n
        Number of records; ten million take about half a minute.
    patients
        How many patients they are of: some come back, most for the same reason, and a few very often. Every record is
        of a patient of its own if left out.
    seed
        The same seed gives the same table.

    Returns
    -------
    polars.DataFrame
        ``patient_id`` and ``name`` (identifiers), ``age``, ``sex``, ``postcode``, ``admitted`` (date), ``stay`` (days),
        ``ward``, ``severity`` (minor, moderate, major, extreme), ``diagnosis`` and ``charge``.

    Examples
    --------
    >>> table = discharges(3, seed=1)
    >>> table.columns
    ['patient_id', 'name', 'age', 'sex', 'postcode', 'admitted', 'stay', 'ward', 'severity', 'diagnosis', 'charge']
    """
    import polars as pl

    if n < 1:
        raise PlanError(f"n must be at least 1, not {n}: a table needs records")
    if patients is not None and not 1 <= patients <= n:
        raise PlanError(f"patients must be from 1 to the {n} records, not {patients}: each has a stay at least")
    dice = _Dice(seed)
    traits = {field: np.array([getattr(d, field) for d in DIAGNOSES]) for field in Diagnosis._fields}

    diagnosis = dice.choose(n, traits["share"])
    age = np.rint(traits["age"][diagnosis] + traits["age_spread"][diagnosis] * dice.normal(n))
    age = np.clip(np.where(age < 0, -age, age), 0, OLDEST)
    age = np.where(traits["women"][diagnosis] == 1.0, np.clip(age, 15, 50), age)
    man = (dice.uniform(n) >= traits["women"][diagnosis]).astype(np.intp)
    first = np.arange(n) if patients is None else _first_stays(dice, n, patients)
    man = man[first]
    day = None
    if patients is not None:
        diagnosis = _come_back(dice, first, diagnosis, age, man, traits["women"])
        day = _day(dice, diagnosis)
        age = _grown(dice, first, age, day)
    severe = traits["severity"][diagnosis] + 0.018 * (age - 50) + dice.normal(n)
    severity = np.searchsorted(np.array([0.1, 1.2, 2.3]), severe)
    stay = _stay(dice, traits["days"][diagnosis], severity, age)
    charge = _charge(dice, traits["fixed_cost"][diagnosis], traits["day_cost"][diagnosis], severity, stay)

    def text(labels: tuple[str, ...], codes: Codes) -> pl.Series:
        return pl.Series(labels).gather(codes)

    return pl.DataFrame(
        {
            "patient_id": _patient_ids(n).gather(first),
            "name": _names(dice, man).gather(first),
            "age": age.astype(np.int64),
            "sex": text(SEXES, man),
            "postcode": text(POSTCODES, _postcode(dice, age)[first]),
            "admitted": FIRST_DAY + (_day(dice, diagnosis) if day is None else day).astype("timedelta64[D]"),
            "stay": stay.astype(np.int64),
            "ward": text(WARDS, _ward(dice, diagnosis, severity, age)),
            "severity": text(SEVERITIES, severity).cast(pl.Enum(SEVERITIES)),
            "diagnosis": text(tuple(d.name for d in DIAGNOSES), diagnosis),
            "charge": charge,
        }
    )


def _first_stays(dice: _Dice, n: int, patients: int) -> Codes:
    """Return the record of each record's patient that made the patient: her own for as many as there are patients."""
    often = np.exp(0.8 * dice.normal(patients))  # a few come again and again
    first = np.concatenate([np.arange(patients), dice.choose(n - patients, often)])
    order = np.argsort(dice.uniform(n), kind="stable")  # so that the first stays do not stand first
    place = np.empty(n, dtype=np.intp)
    place[order] = np.arange(n)
    return np.asarray(place[first][order])


def _come_back(dice: _Dice, first: Codes, diagnosis: Codes, age: Floats, man: Codes, women: Floats) -> Codes:
    """Return diagnoses of which those of a later stay are mostly that of the first, and always one that can be."""
    same = dice.uniform(len(first)) < 0.6
    for_women = women[diagnosis] == 1.0
    impossible = for_women & ((man == 1) | (age[first] < 15) | (age[first] > 50))
    return np.where(same | impossible, diagnosis[first], diagnosis)


def _grown(dice: _Dice, first: Codes, age: Floats, day: Codes) -> Floats:
    """Return the age on the day of each stay, from that on the patient's first record and a birthday."""
    since_birthday = np.floor(365 * dice.uniform(len(first)))[first]
    return np.clip(age[first] + np.floor((day - day[first] + since_birthday) / 365), 0, OLDEST)


def _stay(dice: _Dice, typical: Floats, severity: Codes, age: Floats) -> Floats:
    longer = np.array([0.6, 1.0, 1.9, 3.6])[severity] * (1.0 + 0.004 * np.maximum(age - 40, 0))
    return np.clip(np.rint(typical * longer * np.exp(0.45 * dice.normal(len(age)) - 0.1)), 1, 180)


def _charge(dice: _Dice, fixed: Floats, per_day: Floats, severity: Codes, stay: Floats) -> Floats:
    dearer = np.array([0.8, 1.0, 1.4, 2.3])[severity]
    return np.rint(100 * dearer * (fixed + per_day * stay) * np.exp(0.25 * dice.normal(len(stay)))) / 100


def _day(dice: _Dice, diagnosis: Codes) -> Codes:
    """Days from the first one: diagnoses have their season, and fewer people are admitted on weekends."""
    days = np.arange(DAYS)
    weekend = (days + 6) % 7 >= 5  # 1 January 2023 was a Sunday
    uniform = dice.uniform(len(diagnosis))
    picked = np.empty(len(diagnosis), dtype=np.intp)
    for code, d in enumerate(DIAGNOSES):
        shares = (1.0 + d.season * np.cos(2.0 * np.pi * (days - d.peak) / 365.25)) * np.where(weekend, 0.7, 1.0)
        mine = diagnosis == code
        picked[mine] = _pick(uniform[mine], shares)
    return picked


def _postcode(dice: _Dice, age: Floats) -> Codes:
    """A few large districts and many small ones; the old live more in the last ones."""
    rank = np.arange(len(POSTCODES))
    large = 1.0 / (1.0 + rank * 17 % len(POSTCODES)) ** 0.6
    young, old = large * np.linspace(1.3, 0.7, len(rank)), large * np.linspace(0.5, 1.9, len(rank))
    uniform = dice.uniform(len(age))
    return np.where(age < 65, _pick(uniform, young), _pick(uniform, old))


def _ward(dice: _Dice, diagnosis: Codes, severity: Codes, age: Floats) -> Codes:
    usual = np.array([WARDS.index(d.ward) for d in DIAGNOSES])[diagnosis]
    uniform = dice.uniform(len(age))
    general = np.where(uniform < 0.12, WARDS.index("internal medicine"), usual)
    general = np.where(usual == WARDS.index("maternity"), usual, general)
    child = np.where(age < 16, WARDS.index("paediatrics"), general)
    return np.where((severity == 3) & (uniform > 0.45), WARDS.index("intensive care"), child)


def _patient_ids(n: int) -> pl.Series:
    """Distinct identifiers in no visible order: multiplication by a number without common divisor permutes."""
    import polars as pl

    size = 10 ** max(6, len(str(n)))
    numbers = (np.arange(n, dtype=np.uint64) * np.uint64(387_420_489) + np.uint64(271_828)) % np.uint64(size)
    return "P" + pl.Series(numbers).cast(pl.String).str.zfill(len(str(size)) - 1)


def _names(dice: _Dice, man: Codes) -> pl.Series:
    import polars as pl

    women, families = WOMEN.split(), FAMILIES.split()
    first = _pick(dice.uniform(len(man)), np.ones(len(women)))
    last = _pick(dice.uniform(len(man)), np.array([1.0 / (1 + rank) ** 0.3 for rank in range(len(families))]))
    firsts = pl.Series(women + MEN.split()).gather(first + len(women) * man)
    return firsts + " " + pl.Series(families).gather(last)

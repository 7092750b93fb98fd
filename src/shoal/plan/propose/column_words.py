"""Words in the names of columns that tell what they mean: whom, what others know, what nobody should learn.

And scales that people write in words, whose order is known without asking.
"""

from __future__ import annotations

from collections.abc import Sequence


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


SOMEBODY = _words(
    "id ids pid hid uid nr number ssn person patient subject household case customer client member user account",
    "respondent participant employee student insured",
)
"""In the name of a column that says whom a record is about."""

IDENTIFIERS = _words(
    "name names surname forename firstname lastname fullname email mail phone telephone mobile fax tel address",
    "street passport iban ssn nif nie dni nin nino nhs mrn uuid guid username login url ip plate nickname",
    "signature nachname vorname telefon apellido apellidos nombre cognome nome correo telefono",
)
"""In the name of a column that names a person, or leads to one."""

QUASI_IDENTIFIERS = _words(
    "age sex gender born birth birthdate birthday birthplace dob postcode postal zip zipcode plz cp town city",
    "village county district municipality commune region state province country place location latitude longitude",
    "lat lon nationality citizenship race ethnic ethnicity origin language marital married civil education",
    "schooling school degree occupation profession job employer employment industry sector household hhsize",
    "family children kids siblings rooms height weight admitted admission discharged discharge visit visited seen",
    "arrival departure stay los days ward department clinic hospital unit date day month year urban rural",
    "dwelling house housing roof wall floor tenure vehicle car relationship religion alter geschlecht sexo edad",
    "provincia municipio",
)
"""In the name of a column that others may know of a person."""

CONFIDENTIAL = _words(
    "diagnosis diagnoses diag icd icd9 icd10 disease condition illness symptom symptoms severity medication drug",
    "drugs treatment therapy procedure surgery test result results lab hiv blood pressure cholesterol glucose",
    "viral disability income incomes salary pay wage wages earnings charge charges cost costs price amount",
    "expenditure expense expenses debt loan balance revenue tax taxes savings wealth assets benefit benefits",
    "pension party vote political union orientation crime offence sentence score satisfaction opinion attitude",
    "answer grade grades marks",
)
"""In the name of a column that must not be learnt of a person."""

COUNTS = _words(
    "age ages year years month months day days hour hours count counts number size children kids siblings rooms",
    "visits stays stay los persons members quantity amount total times weight height length score points edad",
    "alter",
)
"""In the name of a column whose few whole numbers are amounts, not codes."""

CODES = _words(
    "code codes icd icd9 icd10 icpc atc isco nace sic naics zip zipcode postcode postal plz cp region district",
    "county municipality province state country sex gender roof wall floor type category class group sector",
    "industry occupation status",
)
"""In the name of a column whose numbers are codes, however many there are."""

ORDERED = _words(
    "level grade stage rank severity education degree rating satisfaction likert agreement agree frequency",
    "priority class size intensity quality health stufe nivel",
)
"""In the name of a column whose codes stand in an order."""

SAMPLING = _words("sampling survey sample design person household hh final pop population svy expansion")
"""Beside the word weight, it is one that says how many a record stands for."""

WEIGHTS = _words("weight weights wgt wt wght pweight fweight pond ponderation pondera gewicht peso fexp")
"""In the name of a column of sampling weights, unless it is that of a body."""

CLEAR_WEIGHTS = _words("pweight fweight fexp pond ponderation pondera")
"""Those that nobody calls the weight of a body."""

FREE_TEXT = _words("note notes comment comments remark remarks text description narrative memo letter")
"""In the name of a column that people wrote whole sentences in."""


_SCALES = (
    "minor moderate major extreme",
    "none minimal mild moderate severe extreme",
    "none low medium high",
    "very low|low|medium|high|very high",
    "low mid high",
    "never rarely sometimes often always",
    "never|seldom|occasionally|frequently|always",
    "daily weekly monthly quarterly yearly",
    "strongly disagree|disagree|neutral|agree|strongly agree",
    "strongly disagree|disagree|neither agree nor disagree|agree|strongly agree",
    "very dissatisfied|dissatisfied|neutral|satisfied|very satisfied",
    "very bad|bad|fair|good|very good|excellent",
    "very poor|poor|fair|good|very good|excellent",
    "none primary secondary tertiary",
    "no education|primary|secondary|higher",
    "less than primary|primary|secondary|vocational|bachelor|master|doctorate",
    "small medium large",
    "xs s m l xl xxl",
    "first second third fourth fifth",
    "i ii iii iv v",
    "child teenager adult senior",
)


def known_order(labels: Sequence[str]) -> tuple[str, ...] | None:
    """Return labels in their order, lowest first, where all are steps of one scale that is known; else None.

    Examples
    --------
    >>> known_order(["extreme", "Minor", "moderate"])
    ('Minor', 'moderate', 'extreme')
    >>> known_order(["red", "green"]) is None
    True
    """
    written = {label.strip().lower(): label for label in labels}
    if len(written) < len(labels) or len(labels) < 2:
        return None
    for scale in _SCALES:
        steps = scale.split("|") if "|" in scale else scale.split()
        if set(written) <= set(steps):
            return tuple(written[step] for step in steps if step in written)
    return None

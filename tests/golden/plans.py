"""The plans whose results are fixed, by name: together they say everything that a plan can say."""

from __future__ import annotations

from dataclasses import dataclass, replace

from golden.tables import TABLES, Columns

QUASI = 'role = "quasi_identifier", '
NUMERIC, DATE = QUASI + 'kind = "numeric"', QUASI + 'kind = "date"'
ORDINAL, NOMINAL = QUASI + 'kind = "ordinal"', QUASI + 'kind = "nominal"'
HIDDEN, OTHER = 'role = "confidential", ', 'role = "other"'
GRADES = ', order = ["low", "mid", "high", "top"]'
STEPS = ", order = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]"
STAGES = HIDDEN + 'kind = "ordinal", order = ["I", "II", "III", "IV"]'

ATTRIBUTES = {
    "discharges": {
        "patient_id": 'role = "identifier"',
        "name": 'role = "identifier"',
        "age": NUMERIC,
        "sex": NOMINAL,
        "postcode": NOMINAL,
        "admitted": DATE,
        "stay": NUMERIC,
        "severity": ORDINAL + ', order = ["minor", "moderate", "major", "extreme"]',
        "diagnosis": HIDDEN + 'kind = "nominal"',
        "charge": HIDDEN + 'kind = "numeric"',
        "ward": OTHER,
    },
    "survey": {
        "person": 'role = "identifier"',
        "age": NUMERIC,
        "income": NUMERIC,
        "born": DATE,
        "region": NOMINAL,
        "grade": ORDINAL + GRADES,
        "cost": HIDDEN + 'kind = "numeric"',
        "site": OTHER,
    },
    "ties": {"age": NUMERIC, "height": NUMERIC, "town": NOMINAL, "pay": HIDDEN + 'kind = "numeric"'},
    "panel": {
        **dict.fromkeys("abcdef", NUMERIC),
        "pay": HIDDEN + 'kind = "numeric"',
        "debt": HIDDEN + 'kind = "numeric"',
    },
}
ATTRIBUTES["holes"] = ATTRIBUTES["few"] = ATTRIBUTES["survey"]
PERSONS_COME_BACK = ("discharges", "survey", "holes", "few")
"""Tables whose identifier repeats; each record counts by itself where a case does not say otherwise."""

TREE = """
[closeness.hierarchy.illness]
lungs = ["flu", "asthma"]
stomach = { upper = ["ulcer", "gastritis"], lower = ["colitis"] }
"""
ILLNESS = {"illness": HIDDEN + 'kind = "nominal"'}
STAGE = {"stage": STAGES}
ONLY_NUMBERS = {"born": OTHER, "region": OTHER, "grade": OTHER}
"""The survey with age and income as its quasi-identifiers."""


@dataclass(frozen=True)
class Case:
    """A plan, as the text of its file, and the table it is for.

    ``columns`` are those of the table that take part, all of them if left out. ``measured`` asks for every measure of
    the release; ``how`` says how a stream is fed.
    """

    table: str
    text: str
    columns: frozenset[str] | None = None
    measured: bool = False
    how: str = "records"

    def data(self) -> Columns:
        """Return the table."""
        columns = TABLES[self.table]()
        return {name: columns[name] for name in columns if self.columns is None or name in self.columns}


def case(table: str, head: str, *, measured: bool = False, how: str = "records", **attributes: str) -> Case:
    """A case from the head of a plan and the columns that are not as usual."""
    declared = {**ATTRIBUTES[table], **attributes}
    if table in PERSONS_COME_BACK and not head.startswith("subject"):
        head = f"subject = 'record'\n{head}"
    lines = [f"{name} = {{ {words} }}" for name, words in declared.items()]
    text = "\n".join([head.strip(), "", "[attributes]", *lines, ""])
    return Case(table, text, frozenset(declared), measured=measured, how=how)


def in_order(case: Case) -> Case:
    """A case that keeps the order of rows: those of the survey follow its persons, and would be shuffled."""
    return replace(case, text=f"order = 'keep'\n{case.text}") if case.table in ("survey", "holes") else case


def close(text: str, k: int = 4) -> str:
    """The head of a plan with ``[closeness]``."""
    return f"k = {k}\n\n[closeness]\n{text}"


def diverse(text: str, k: int = 4) -> str:
    """The head of a plan with ``[diversity]``."""
    return f"k = {k}\n\n[diversity]\n{text}"


def steer(*tables: str, k: int = 5, before: str = "") -> str:
    """The head of a plan with ``[[steer]]`` tables."""
    return f"k = {k}\n{before}\n" + "".join(f"\n[[steer]]\n{table}\n" for table in tables)


METHODS = {
    "mdav": case("discharges", "version = 1\nk = 5\nmethod = 'mdav'\nseed = 0", measured=True),
    "defaults written out": case(
        "discharges",
        "k = 5\nscale = 'zscore'\nrelease = 'aggregate'\nmissing = 'error'\nround = false\npreserve_variance = false\n"
        "guarantee = true\nsteer = []\n\n[diversity]\ndistinct = 1\nmissing = 'error'\n\n"
        "[closeness]\nt = 1.0\nmethod = 'merge'\nmissing = 'error'",
        admitted=DATE + ", format = '%Y-%m-%d'",
    ),
    "mdav k=2": case("survey", "k = 2", measured=True),
    "mdav k=25": case("survey", "k = 25"),
    "mdav ties": case("ties", "k = 7", measured=True),
    "mdav few": case("few", "k = 4"),
    "mdav numbers": case("panel", "k = 6", measured=True),
    "vmdav": case("discharges", "k = 5\nmethod = 'vmdav'", measured=True),
    "vmdav gain 0": case("survey", "k = 4\nmethod = 'vmdav'\ngain = 0.0"),
    "vmdav gain 1.5": case("survey", "k = 4\nmethod = 'vmdav'\ngain = 1.5", measured=True),
    "vmdav ties": case("ties", "k = 7\nmethod = 'vmdav'\ngain = 1"),
    "projected": case("panel", "k = 5\nmethod = 'projected'", measured=True),
    "projected pcp": case("survey", "k = 5\nmethod = 'projected'\naxis = 'pcp'", region=OTHER),
    "projected zscores": case("survey", "k = 5\nmethod = 'projected'\naxis = 'zscores'", region=OTHER, measured=True),
    "projected ties": case("ties", "k = 4\nmethod = 'projected'", town=OTHER),
    "univariate": case("survey", "k = 5\nmethod = 'univariate'", **ONLY_NUMBERS, age=OTHER, measured=True),
    "univariate date": case(
        "survey", "k = 3\nmethod = 'univariate'", age=OTHER, income=OTHER, region=OTHER, grade=OTHER
    ),
    "univariate ordinal": case(
        "survey", "k = 9\nmethod = 'univariate'", age=OTHER, income=OTHER, born=OTHER, region=OTHER
    ),
    "individual": case("survey", "k = 5\nmethod = 'individual'\nguarantee = false", region=OTHER, measured=True),
    "individual of one": case("survey", "k = 5\nmethod = 'individual'", **ONLY_NUMBERS, income=OTHER),
    "individual of an intruder": case(
        "panel", "k = 5\nmethod = 'individual'\nguarantee = false\nintruder = [['a', 'b'], ['c', 'e', 'f'], ['d']]"
    ),
    "mic1d": case("panel", "k = 100\nmethod = 'mic1d'\nguarantee = false", measured=True),
    "mic1d optimal": case(
        "panel", "k = 100\nmethod = 'mic1d'\ncut = 'optimal'\nscale = 'none'\nguarantee = false\nintruder = [['a']]"
    ),
    "mic1d fixed, dates and ranks": case(
        "survey", "k = 90\nmethod = 'mic1d'\ncut = 'fixed'\nguarantee = false\nround = true", region=OTHER
    ),
    "mic1d in blocks": case(
        "panel", "k = 80\nmethod = 'mic1d'\nguarantee = false\nblocks = [['a','b'], ['c','d','e','f']]"
    ),
    "mic1d by": case("survey", "k = 60\nmethod = 'mic1d'\nguarantee = false\nby = 'site'", region=OTHER),
}

MASKING = {
    "scale minmax": case("survey", "k = 4\nscale = 'minmax'"),
    "scale none": case("panel", "k = 4\nscale = 'none'"),
    "scale by column": case(
        "survey",
        "k = 4",
        age=NUMERIC + ", scale = 'minmax'",
        income=NUMERIC + ", scale = 'none'",
        born=DATE + ", scale = 'zscore'",
    ),
    "weights of columns": case(
        "survey",
        "k = 4",
        age=NUMERIC + ", weight = 4",
        born=DATE + ", weight = 0.25",
        region=NOMINAL + ", weight = 2.5",
        grade=ORDINAL + GRADES + ", weight = 9",
        measured=True,
    ),
    "aggregate medians": case(
        "survey",
        "k = 4",
        age=NUMERIC + ", aggregate = 'median'",
        born=DATE + ", aggregate = 'median'",
        grade=ORDINAL + GRADES + ", aggregate = 'convex_median'",
        measured=True,
    ),
    "aggregate modes": case(
        "survey",
        "k = 4",
        age=NUMERIC + ", aggregate = 'mean'",
        region=NOMINAL + ", aggregate = 'mode'",
        grade=ORDINAL + GRADES + ", aggregate = 'mode'",
    ),
    "aggregate rank median": case("survey", "k = 4", grade=ORDINAL + GRADES + ", aggregate = 'median'"),
    "round": case("survey", "k = 4\nround = true", measured=True),
    "round by column": case("survey", "k = 4\nround = true", age=NUMERIC + ", round = false"),
    "round one column": case("discharges", "k = 5", age=NUMERIC + ", round = true"),
    "preserve variance": case("survey", "k = 4\npreserve_variance = true", measured=True),
    "preserve variance, rounded": case("survey", "k = 4\npreserve_variance = true\nround = true"),
    "sampling weights": case("survey", "k = 4\nweights = 'share'", share=OTHER, measured=True),
    "sampling weights, preserve variance": case(
        "survey", "k = 4\nweights = 'share'\npreserve_variance = true", share=OTHER
    ),
    "permute": case("discharges", "k = 5\nrelease = 'permute'", measured=True),
    "permute, another seed": case("discharges", "k = 5\nrelease = 'permute'\nseed = 42"),
    "permute by, close": case(
        "survey", "k = 4\nrelease = 'permute'\nby = 'site'\n\n[closeness]\nt = 0.2\n", **ILLNESS, measured=True
    ),
    "by": case("discharges", "k = 5\nby = 'severity'", measured=True),
    "by a quasi-identifier": case("discharges", "k = 4\nby = 'sex'\nmethod = 'vmdav'"),
    "by, projected": case("survey", "k = 4\nby = 'site'\nmethod = 'projected'", region=OTHER),
    "categories as numbers": case("survey", "k = 4", step=NOMINAL, smoker=NOMINAL),
    "order as numbers": case("survey", "k = 4", step=ORDINAL + STEPS, born=OTHER),
}

MISSING = {
    "missing impute": case("holes", "k = 4\nmissing = 'impute'", measured=True),
    "missing category": case("holes", "k = 4\nmissing = 'category'", **{"age": OTHER, "income": OTHER, "born": OTHER}),
    "missing by column": case(
        "holes",
        "k = 4\nmissing = 'category'",
        age=NUMERIC + ", missing = 'impute'",
        income=NUMERIC + ", missing = 'impute', aggregate = 'median'",
        born=DATE + ", missing = 'impute'",
        grade=ORDINAL + GRADES + ", missing = 'impute'",
        measured=True,
    ),
    "missing error by column": case(
        "holes",
        "k = 4\nmissing = 'impute'",
        **{"region": NOMINAL + ", missing = 'category'"},
        step=NOMINAL + ", missing = 'error'",
    ),
    "missing impute, vmdav, preserve variance": case(
        "holes", "k = 4\nmethod = 'vmdav'\nmissing = 'impute'\npreserve_variance = true\nround = true"
    ),
    "missing impute, mic1d": case(
        "holes", "k = 90\nmethod = 'mic1d'\nmissing = 'impute'\nguarantee = false", region=OTHER
    ),
    "missing impute, dependence": case("holes", "k = 4\nmissing = 'impute'\n\n[dependence]\nweight = 0.3", **ILLNESS),
    "missing confidential, close": case(
        "holes",
        "missing = 'impute'\n" + close("missing = 'category'\nt = { cost = 0.2, illness = 0.5, stage = 0.4 }"),
        **ILLNESS,
        **STAGE,
        measured=True,
    ),
    "missing confidential, tree": case(
        "holes",
        "k = 4\nmissing = 'impute'\n\n[closeness]\nt = 0.3\nattributes = ['illness']\nmissing = 'category'\n" + TREE,
        **ILLNESS,
    ),
    "missing confidential, diverse": case(
        "holes", "k = 4\nmissing = 'impute'\n\n[diversity]\ndistinct = 3\nmissing = 'category'", **ILLNESS
    ),
}

CLOSENESS = {
    "t_first": case("discharges", close("t = 0.1\nmethod = 't_first'\nattributes = ['charge']"), measured=True),
    "t_first nominal": case("discharges", close("t = 0.3\nattributes = ['diagnosis']")),
    "t_first of two": case("discharges", close("t = 0.3\nattributes = ['diagnosis', 'charge']"), measured=True),
    "t_first strata all": case("survey", close("t = 0.3\nstrata = 'all'"), **ILLNESS, measured=True),
    "t_first strata first": case("survey", close("t = 0.35\nstrata = 'first'"), **ILLNESS, **STAGE),
    "t_first by attribute": case("survey", close("t = { cost = 0.1, illness = 0.6 }"), **ILLNESS),
    "t_first tree": case("survey", close("t = 0.25\nattributes = ['illness']\n" + TREE), **ILLNESS, measured=True),
    "t_first marginality": case(
        "survey", close("t = 0.25\nattributes = ['illness']\nmarginality = ['illness']\n" + TREE), **ILLNESS
    ),
    "t_first dates and ranks": case(
        "survey", close("t = 0.2\nattributes = ['since', 'stage']"), since=HIDDEN + "kind = 'date'", **STAGE
    ),
    "t_first by": case("survey", close("t = 0.2").replace("\n\n", "\nby = 'site'\n\n", 1)),
    "t_first ties": case("ties", close("t = 0.15"), measured=True),
    "k_first": case("discharges", close("t = 0.15\nmethod = 'k_first'\nattributes = ['charge']"), measured=True),
    "k_first of two": case(
        "survey", close("t = { cost = 0.15, illness = 0.4 }\nmethod = 'k_first'"), **ILLNESS, measured=True
    ),
    "k_first by, diverse": case(
        "survey",
        "k = 5\nby = 'site'\n\n[closeness]\nt = 0.2\nmethod = 'k_first'\nattributes = ['cost']\n\n"
        "[diversity]\nentropy = 2.2\nattributes = ['illness']",
        **ILLNESS,
    ),
    "merge": case("discharges", close("t = 0.25\nmethod = 'merge'\nattributes = ['charge']"), measured=True),
    "merge vmdav": case(
        "survey", "k = 4\nmethod = 'vmdav'\ngain = 0.5\n\n[closeness]\nt = 0.25\nmethod = 'merge'", measured=True
    ),
    "merge projected": case("panel", "k = 4\nmethod = 'projected'\n\n[closeness]\nt = 0.2\nmethod = 'merge'"),
    "merge univariate": case(
        "survey", "k = 4\nmethod = 'univariate'\n\n[closeness]\nt = 0.2\nmethod = 'merge'", **ONLY_NUMBERS, income=OTHER
    ),
    "merge (n, t)": case(
        "discharges", close("t = 0.2\nmethod = 'merge'\nattributes = ['charge']\nn = 80", k=5), measured=True
    ),
    "merge (n, t) by, diverse": case(
        "survey",
        "k = 4\nby = 'site'\n\n[closeness]\nt = 0.25\nmethod = 'merge'\nattributes = ['cost']\nn = 40\n\n"
        "[diversity]\ndistinct = 3\nattributes = ['illness']",
        **ILLNESS,
    ),
    "merge to one group": case("ties", close("t = 0.0\nmethod = 'merge'")),
    "steered": case("discharges", close("t = 0.1\nmethod = 'steered'\nattributes = ['charge']"), measured=True),
    "steered weight": case("survey", close("t = 0.15\nmethod = 'steered'\nweight = 3.5")),
    "steered without guarantee": case(
        "survey",
        "guarantee = false\n" + close("t = 0.1\nmethod = 'steered'\nattributes = ['cost']\nweight = 2.0"),
        **ILLNESS,
        measured=True,
    ),
    "steered of two": case("survey", "scale = 'minmax'\n" + close("t = 0.3\nmethod = 'steered'"), **STAGE),
    "steered by, without guarantee, diverse": case(
        "survey",
        "guarantee = false\nby = 'site'\n"
        + close("t = 0.1\nmethod = 'steered'\nattributes = ['cost']\nweight = 1.0\n\n[diversity]\ndistinct = 2"),
        **ILLNESS,
    ),
    "distinct": case("discharges", diverse("distinct = 3\nattributes = ['diagnosis']", k=3), measured=True),
    "entropy": case("discharges", diverse("entropy = 2.5\nattributes = ['diagnosis']")),
    "recursive": case("discharges", diverse("recursive = { c = 2.0, l = 2 }\nattributes = ['diagnosis']")),
    "p_sensitive": case("survey", diverse("p_sensitive = 4", k=3), **ILLNESS, measured=True),
    "every diversity": case(
        "survey",
        diverse("distinct = 3\nentropy = 2.5\nrecursive = { c = 1.5, l = 2 }\np_sensitive = 2"),
        **ILLNESS,
        **STAGE,
        measured=True,
    ),
    "close and diverse": case(
        "discharges",
        close("t = 0.1\nattributes = ['charge']\n\n[diversity]\ndistinct = 3\nattributes = ['diagnosis']"),
        measured=True,
    ),
    "merge, close and diverse": case(
        "survey",
        close("t = 0.3\nmethod = 'merge'\n\n[diversity]\nrecursive = { c = 3, l = 2 }\nattributes = ['illness']"),
        **ILLNESS,
    ),
    "projected, diverse": case("ties", "k = 3\nmethod = 'projected'\n\n[diversity]\ndistinct = 3", town=OTHER),
}

STEERING = {
    "blocks": case("panel", "k = 5\nguarantee = false\nblocks = [['a', 'c'], ['b', 'f'], ['d', 'e']]", measured=True),
    "one block": case("panel", "k = 5\nblocks = [['a', 'b', 'c', 'd', 'e', 'f']]"),
    "blocks of every kind": case(
        "survey",
        "k = 4\nmethod = 'vmdav'\nguarantee = false\nblocks = [['age', 'region'], ['income', 'born', 'grade']]\n"
        "intruder = [['age', 'grade']]",
    ),
    "blocks correlated": case(
        "panel", "k = 5\nguarantee = false\nblocks = { make = 'correlated', size = 2 }", measured=True
    ),
    "blocks spread": case(
        "panel", "k = 5\nguarantee = false\nmethod = 'projected'\nblocks = { make = 'spread', count = 2 }"
    ),
    "blocks correlated, of every kind, by": case(
        "survey", "k = 4\nguarantee = false\nby = 'site'\nblocks = { make = 'correlated', count = 3 }"
    ),
    "dependence 0": case("discharges", "k = 5\n\n[dependence]\nweight = 0"),
    "dependence": case("discharges", "k = 5\n\n[dependence]\nweight = 0.2\nattributes = ['charge']", measured=True),
    "dependence of every kind": case(
        "survey", "k = 5\n\n[dependence]\nweight = 0.5", **ILLNESS, **STAGE, since=HIDDEN + "kind = 'date'"
    ),
    "dependence 1": case("panel", "k = 5\n\n[dependence]\nweight = 1.0", measured=True),
    "dependence, vmdav": case("survey", "k = 5\nmethod = 'vmdav'\n\n[dependence]\nweight = 0.1"),
    "dependence, projected": case("panel", "k = 5\nmethod = 'projected'\n\n[dependence]\nweight = 0.3"),
    "dependence in blocks": case(
        "panel", "k = 5\nguarantee = false\nblocks = { make = 'spread', size = 3 }\n\n[dependence]\nweight = 0.4"
    ),
    "dependence, close": case("survey", close("t = 0.2\n\n[dependence]\nweight = 0.2")),
    "steer position": case("discharges", steer("kind = 'position'\nweight = 0.5"), measured=True),
    "steer column": case("discharges", steer("kind = 'column'\ncolumn = 'charge'\nweight = 2.0")),
    "steer nominal column": case(
        "discharges", steer("kind = 'column'\ncolumn = 'ward'\nweight = 2.0"), ward=OTHER + ", kind = 'nominal'"
    ),
    "steer buckets": case(
        "discharges", steer("kind = 'buckets'\ncolumn = 'charge'\nt = 0.1\nweight = 30.0"), measured=True
    ),
    "steer nominal buckets": case(
        "survey", steer("kind = 'buckets'\ncolumn = 'illness'\nt = 0.2\nweight = 5"), **ILLNESS
    ),
    "steer all": case(
        "survey",
        steer(
            "kind = 'position'\nweight = 0.1",
            "kind = 'column'\ncolumn = 'stage'\nweight = 0.7",
            "kind = 'buckets'\ncolumn = 'cost'\nt = 0.15\nweight = 3.0",
            before="method = 'vmdav'\nscale = 'minmax'",
        )
        + "\n[dependence]\nweight = 0.2\nattributes = ['cost']",
        **STAGE,
        age=NUMERIC + ", scale = 'zscore', weight = 2",
    ),
    "steer, close, by": case(
        "survey", steer("kind = 'position'\nweight = 1", before="by = 'site'") + "\n[closeness]\nt = 0.25"
    ),
    "steer in blocks": case(
        "panel",
        steer("kind = 'position'\nweight = 2", before="guarantee = false\nblocks = [['a', 'b', 'c'], ['d', 'e', 'f']]"),
    ),
    "sections that tables do not read": case(
        "discharges", "k = 5\n\n[compare]\nk = [3, 5]\n'closeness.t' = ['none', 0.1]\n\n[stream]\nmax_delay = 30"
    ),
}

ORDER = {
    "order auto": case("survey", "k = 4\norder = 'auto'", measured=True),
    "order auto, permuted": case("survey", "k = 4\nrelease = 'permute'"),
    "order shuffle": case("discharges", "k = 5\norder = 'shuffle'\nseed = 3", measured=True),
}

PLANS = {
    **{name: in_order(case) for name, case in {**METHODS, **MASKING, **MISSING, **CLOSENESS, **STEERING}.items()},
    **ORDER,
}
"""The plans for tables."""

FILED = {*METHODS, *MASKING, *MISSING, *ORDER, *(name for name, plan in PLANS.items() if plan.measured)}
"""Those that also go from file to file: of the others, the cells of the released frame are fixed."""


def stream(text: str, head: str = "k = 4") -> str:
    """The head of a plan with ``[stream]``."""
    return f"{head}\n\n[stream]\n{text}"


STREAMS = {
    "running bounds": case("survey", "k = 4"),
    "subject": case("survey", "subject = 'person'\n" + stream("max_delay = 40")),
    "given bounds": case(
        "survey",
        stream("max_delay = 60\nbounds = { age = [20, 80], income = [0, 5000], born = [1940-01-01, 2010-01-01] }"),
    ),
    "no sweeps": case("survey", stream("max_delay = 50\nsweeps = 0")),
    "many sweeps": case("survey", "subject = 'person'\n" + stream("max_delay = 50\nsweeps = 5")),
    "no position": case("survey", stream("max_delay = 50\nposition_weight = 0.0")),
    "in order": case("survey", stream("max_delay = 50\nposition_weight = 10.0")),
    "close, drop": case("survey", stream("max_delay = 20\non_unclose = 'drop'\n\n[closeness]\nt = 0.06")),
    "close, merge": case("survey", stream("max_delay = 20\non_unclose = 'merge'\n\n[closeness]\nt = 0.06")),
    "close, merge, subject": case(
        "survey",
        "subject = 'person'\n"
        + stream("max_delay = 25\non_unclose = 'merge'\n\n[closeness]\nt = 0.1\nattributes = ['cost']"),
        **ILLNESS,
    ),
    "close of every kind": case(
        "survey",
        stream("max_delay = 60\n\n[closeness]\nt = { cost = 0.2, illness = 0.4, stage = 0.3, since = 0.3 }"),
        **ILLNESS,
        **STAGE,
        since=HIDDEN + "kind = 'date'",
    ),
    "missing impute": case("holes", stream("max_delay = 30", "k = 4\nmissing = 'impute'")),
    "missing by column": case(
        "holes",
        stream("max_delay = 30", "k = 4\nmissing = 'category'"),
        age=NUMERIC + ", missing = 'impute'",
        income=NUMERIC + ", missing = 'impute', aggregate = 'median'",
        born=DATE + ", missing = 'impute'",
    ),
    "aggregates, weights, rounding": case(
        "survey",
        stream("max_delay = 30", "k = 5\nround = true"),
        age=NUMERIC + ", aggregate = 'median', weight = 3",
        income=NUMERIC + ", round = false",
        born=DATE + ", aggregate = 'median'",
        region=NOMINAL + ", weight = 2",
        grade=ORDINAL + GRADES + ", aggregate = 'convex_median', weight = 0.5",
        step=ORDINAL + STEPS + ", aggregate = 'mode'",
    ),
    "ties": case("ties", stream("max_delay = 20", "k = 6")),
    "too few": case("few", stream("max_delay = 5", "k = 5\nmissing = 'error'")),
    "discharges": case("discharges", "subject = 'patient_id'\n" + stream("max_delay = 100", "k = 5")),
    "frames": case("survey", "subject = 'person'\n" + stream("max_delay = 40"), how="frames"),
    "frames with holes": case("holes", stream("max_delay = 30", "k = 4\nmissing = 'impute'"), how="frames"),
    "text": case("survey", "subject = 'person'\n" + stream("max_delay = 40"), how="text"),
    "saved and restored": case("survey", "subject = 'person'\n" + stream("max_delay = 40"), how="restored"),
    "options of the call": case("survey", "k = 4", how="options"),
}
"""The plans for streams."""

REFUSED = {
    "k of 1": case("survey", "k = 1"),
    "no k": case("survey", "seed = 1"),
    "not TOML": Case("survey", "k = = 5\n"),
    "no attributes": Case("survey", "k = 5\n"),
    "no quasi-identifier": Case(
        "ties",
        "k = 5\n[attributes]\n" + "".join(f'{c} = {{ role = "other" }}\n' for c in ("age", "height", "town", "pay")),
    ),
    "unknown method": case("survey", "k = 5\nmethod = 'mdaw'"),
    "unknown key": case("survey", "k = 5\nguarante = false"),
    "role undecided": case("survey", "k = 5", age="role = '?', kind = 'numeric'"),
    "inert option": case("survey", "k = 5\ngain = 0.1"),
    "inert weight": case("panel", "k = 5\nmethod = 'mic1d'\nguarantee = false", a=NUMERIC + ", weight = 2"),
    "inert guarantee": case("panel", "k = 5\nguarantee = false"),
    "wrong aggregate": case("survey", "k = 5", age=NUMERIC + ", aggregate = 'mode'"),
    "nominal on a line": case("survey", "k = 5\nmethod = 'projected'"),
    "blocks without one": case("panel", "k = 5\nguarantee = false\nblocks = [['a', 'b'], ['c', 'd', 'e']]"),
    "by a confidential column": case("survey", "k = 5\nby = 'cost'"),
    "by an undeclared column": case("survey", "k = 5\nby = 'sites'"),
    "closeness of an open column": case("survey", close("t = 0.1\nattributes = ['age']")),
    "closeness without a t": case("survey", close("t = { cost = 0.1 }"), **ILLNESS),
    "t above 1": case("survey", close("t = 1.5")),
    "steer by z-scores": case("survey", steer("kind = 'position'\nweight = 1", before="scale = 'zscore'")),
    "permuted and rounded": case("survey", "k = 5\nrelease = 'permute'\nround = true"),
    "individual with guarantee": case("panel", "k = 5\nmethod = 'individual'"),
    "mic1d with guarantee": case("panel", "k = 50\nmethod = 'mic1d'"),
    "undeclared column": Case(
        "ties",
        "k = 5\n[attributes]\nage = { role = 'quasi_identifier', kind = 'numeric' }\nheigth = { role = 'other' }\n",
    ),
    "absent column": case("ties", "k = 5", salary=OTHER),
    "another table": Case("ties", "k = 5\n[attributes]\nx = { role = 'quasi_identifier', kind = 'numeric' }\n"),
    "too few records": case("few", "k = 8"),
    "missing cells": case("holes", "k = 5"),
    "missing numbers as a category": case("holes", "k = 5\nmissing = 'category'"),
    "missing confidential cells": case("holes", "missing = 'impute'\n" + close("t = 0.2")),
    "text as numbers": case("survey", "k = 5", smoker=NUMERIC),
    "category outside its order": case("survey", "k = 5", grade=ORDINAL + ", order = ['low', 'mid', 'high']"),
    "no order": case("survey", "k = 5", grade=ORDINAL),
    "category outside its tree": case(
        "survey",
        close("t = 0.2\nattributes = ['illness']\n\n[closeness.hierarchy.illness]\nlungs = ['flu']\nrest = ['ulcer']"),
        **ILLNESS,
    ),
    "small strata": case("survey", "k = 5\nby = 'person'", person=OTHER),
    "strata not close": case("survey", "by = 'site'\n" + close("t = 0.001")),
    "not diverse": case("survey", diverse("distinct = 6\nattributes = ['illness']"), **ILLNESS),
    "weights that are text": case("survey", "k = 5\nweights = 'site'"),
}
"""Plans that are wrong, or wrong for their table."""

STREAMS_REFUSED = {
    "by": case("survey", "k = 5\nby = 'site'"),
    "method": case("survey", "k = 5\nmethod = 'vmdav'"),
    "diversity": case("survey", diverse("distinct = 2")),
    "closeness method": case("survey", close("t = 0.2\nmethod = 'merge'")),
    "scale of a column": case("survey", "k = 5", age=NUMERIC + ", scale = 'minmax'"),
    "merge without closeness": case("survey", stream("on_unclose = 'merge'")),
    "unknown subject": case("survey", "subject = 'who'\nk = 4"),
    "subject is quasi": case("survey", "subject = 'age'\nk = 4"),
    "bounds the wrong way": case("survey", stream("bounds = { age = [80, 20] }")),
    "bounds of a category": case("survey", stream("bounds = { region = [1, 4] }")),
    "missing cells": case("holes", stream("max_delay = 10")),
    "ordinal without order": case("survey", "k = 5", grade=ORDINAL),
}
"""Plans that a stream cannot follow."""

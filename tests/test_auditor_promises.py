"""What a release is made for, judged by the auditor: just good enough, and just not."""

from pathlib import Path

from audited import (
    AMOUNT,
    DAY,
    ILL,
    NAME,
    NUMBER,
    OTHER,
    PAY,
    PLACE,
    SINCE,
    UNCOUNTED,
    UNTOLD,
    WORD,
    cases,
    check,
    plan,
)

PARTED = "age it; 1 a; 1 a; 2 b; 2 b; 3 c; 3 c"  # a value in each class: of each, two thirds would have to change
RARE = "age it; 1 a; 1 a; 1 b; 1 a; 1 c; 1 a"  # four times a value, and two others once each


@cases(
    {
        "k records": (
            plan("k = 2"),
            "age; 1; 1; 2; 2",
            [
                "✓ columns: no identifier and no undeclared column left",
                "✓ k_anonymity: the smallest of 2 classes has 2 records, asked 2",
            ],
        ),
        "a record too few": (
            plan("k = 2"),
            "age; 1; 1; 2",
            ["✗ k_anonymity: the smallest of 2 classes has 1 record, asked 2"],
        ),
        "one class": (plan("k = 3"), "age; 1; 1; 1", ["✓ k_anonymity: the only class has 3 records, asked 3"]),
        "one class of one record": (
            plan("k = 2"),
            "age; 1",
            [
                "✓ columns: no identifier and no undeclared column left",
                "✗ k_anonymity: the only class has 1 record, asked 2",
            ],
        ),
        "a quasi-identifier beside another": (
            plan("k = 2", zip=WORD),
            "age zip; 1 a; 1 a; 1 b; 1 a",
            ["✗ k_anonymity: the smallest of 2 classes has 1 record, asked 2"],
        ),
        "k persons in rows that nothing tells apart": (
            plan('k = 2\nsubject = "who"'),
            "age; 1; 1; 1",
            [f"? k_anonymity: the classes have records of at least 2 different who, asked 2{UNTOLD}"],
            "who age; p 1; p 1; q 1",
        ),
        "a person too few": (
            plan('k = 2\nsubject = "who"'),
            "age; 1; 1; 2; 2",
            ["✗ k_anonymity: the classes have records of at least 1 different who, asked 2"],
            "who age; p 1; p 1; q 2; r 2",
            "out in; 0 0; 1 1; 2 2; 3 3",
        ),
        "persons in rows that no column tells apart, with their map": (
            plan('k = 2\nsubject = "who"'),
            "age; 1; 1; 1",
            ["✓ k_anonymity: the classes have records of at least 2 different who, asked 2"],
            "who age; p 1; p 1; q 1",
            "out in; 1 1; 2 2; 3 3",
        ),
        "persons in rows that a column tells apart": (
            plan('k = 2\nsubject = "who"', ward=OTHER),
            "age ward; 1 a; 1 b; 1 c",
            ["✓ k_anonymity: the classes have records of at least 2 different who, asked 2"],
            "who age ward; p 1 a; p 1 b; q 1 c",
        ),
        "persons in rows that only a distance tells apart": (
            plan('k = 2\nsubject = "who"', born=NAME, day=SINCE),
            "age day; 1 1; 1 2; 1 3",
            [f"? k_anonymity: the classes have records of at least 2 different who, asked 2{UNTOLD}"],
            "who age born day; p 1 2020-01-01 2020-01-02; p 1 2020-01-01 2020-01-03; q 1 2020-01-01 2020-01-04",
        ),
        "persons without the original": (
            plan('k = 2\nsubject = "who"'),
            "age; 1; 1",
            [f"? k_anonymity: the only class has 2 records, asked 2{UNCOUNTED}"],
        ),
        "records too few, whoever they are of": (
            plan('k = 3\nsubject = "who"'),
            "age; 1; 1",
            [f"✗ k_anonymity: the only class has 2 records, asked 3{UNCOUNTED}"],
        ),
        "a column that is called record": (
            plan('k = 2\nsubject = "record"', who="", record=NAME),
            "age; 1; 1",
            [f"✗ k_anonymity: the classes have records of at least 1 different record, asked 2{UNTOLD}"],
            "record age; p 1; p 1",
        ),
        "records that are persons": (
            plan('k = 2\nsubject = "record"'),
            "age; 1; 1",
            ["✓ k_anonymity: the only class has 2 records, asked 2"],
            "who age; p 1; p 1",
        ),
        "a person in a form that is not seen": (
            plan('k = 2\nsubject = "who"'),
            "age; 1; 1",
            [f"✗ k_anonymity: the classes have records of at least 1 different who, asked 2{UNTOLD}"],
            "who age; p1 1; p1\u0600 1",
        ),
        "persons whose names have a point": (
            plan('k = 2\nsubject = "who"'),
            "age; 1; 1",
            ["✓ k_anonymity: the classes have records of at least 2 different who, asked 2"],
            "who age; p.1 1; p.2 1",
        ),
        "a column that nobody declared": (
            plan(),
            "age new; 1 2",
            ["✗ columns: 'new' left, which the plan does not declare"],
        ),
        "an identifier": (plan(), "who age; p 1", ["✗ identifiers: 'who' left, which the plan calls identifier"]),
        "an identifier and a column that nobody declared": (
            plan(),
            "who age new; p 1 2",
            [
                "✗ identifiers: 'who' left, which the plan calls identifier",
                "✗ columns: 'new' left, which the plan does not declare",
            ],
        ),
        "t in equal distances": (
            plan("closeness = { t = 0.66666666656 }", it=ILL),
            PARTED,
            ["✓ t_closeness: it is within 0.666667, asked 0.66666666656"],
        ),
        "just beyond t in equal distances": (
            plan("closeness = { t = 0.666 }", it=ILL),
            PARTED,
            ["✗ t_closeness: it is within 0.666667, asked 0.666"],
        ),
        "t in an order": (
            plan("closeness = { t = 0.5 }", it=PAY),
            "age it; 1 1; 1 1; 2 2; 2 2; 3 3; 3 3",
            ["✓ t_closeness: it is within 0.5, asked 0.5"],
        ),
        "just beyond t in an order": (
            plan("closeness = { t = 0.4999 }", it=PAY),
            "age it; 1 1; 1 1; 2 2; 2 2; 3 3; 3 3",
            ["✗ t_closeness: it is within 0.5, asked 0.4999"],
        ),
        "t of each attribute": (
            plan("closeness = { t = { it = 0.6, pay = 0.5 } }", it=ILL, pay=PAY),
            "age it pay; 1 a 1; 1 a 1; 2 b 2; 2 b 2; 3 c 3; 3 c 3",
            ["✗ t_closeness: it is within 0.666667, asked 0.6", "✓ t_closeness: pay is within 0.5, asked 0.5"],
        ),
        "attributes that the plan names": (
            plan("closeness = { t = 0.1, attributes = ['pay'] }", it=ILL, pay=PAY),
            "age it pay; 1 a 1; 1 a 1; 2 b 1; 2 b 1",
            ["✓ t_closeness: pay is within 0, asked 0.1"],
        ),
        "an order made from a tree, before another attribute": (
            plan("closeness = { t = 0.1, marginality = ['it'] }", it=ILL, pay=PAY),
            "age it pay; 1 a 1; 1 a 1; 2 b 2; 2 b 2",
            [
                "? t_closeness: it: an order made from a tree, or a tree in a file, is not judged",
                "✗ t_closeness: pay is within 0.5, asked 0.1",
            ],
        ),
        "a tree": (
            plan("closeness = { t = 0.25, hierarchy = { it = { u = ['a', 'b'], v = ['c'], w = [] } } }", it=ILL),
            "age it; 1 a; 1 a; 2 b; 2 b",
            ["✓ t_closeness: it is within 0.25, asked 0.25"],
        ),
        "a gap in a tree": (
            plan("closeness = { t = 0.49, missing = 'category', hierarchy = { it = ['a', 'b'] } }", it=ILL),
            "age it; 1 a; 1 a; 2 ~; 2 ~",
            ["✗ t_closeness: it is within 0.5, asked 0.49"],
        ),
        "a neighbourhood": (
            plan("closeness = { t = 0.1, n = 2 }", it=ILL),
            "age it; 1 a; 1 a; 2 b; 2 b",
            ["? n_t_closeness: neighbourhoods are not seen from outside"],
        ),
        "t given up by steering": (
            plan("guarantee = false\ncloseness = { t = 0.1, method = 'steered' }", it=ILL),
            "age it; 1 a; 1 a; 2 b; 2 b",
            ["? t_closeness: it is within 0.5, asked 0.1"],
        ),
        "t by steering": (
            plan("closeness = { t = 0.1, method = 'steered' }", it=ILL),
            "age it; 1 a; 1 a; 2 b; 2 b",
            ["✗ t_closeness: it is within 0.5, asked 0.1"],
        ),
        "t in another way than steering, whatever is given up": (
            plan("guarantee = false\ncloseness = { t = 0.1, method = 'merge' }", it=ILL),
            "age it; 1 a; 1 a; 2 b; 2 b",
            ["✗ t_closeness: it is within 0.5, asked 0.1"],
        ),
        "distinct values": (
            plan("diversity = { distinct = 2 }", it=ILL),
            "age it; 1 a; 1 b; 2 a; 2 b",
            ["✓ distinct_l_diversity: it has at least 2, asked 2"],
        ),
        "too few distinct values": (
            plan("diversity = { distinct = 2 }", it=ILL),
            "age it; 1 a; 1 b; 2 a; 2 a",
            ["✗ distinct_l_diversity: it has at least 1, asked 2"],
        ),
        "distinct values by their other name": (
            plan("diversity = { p_sensitive = 3 }", it=ILL),
            "age it; 1 a; 1 b; 2 a; 2 b; 2 c",
            ["✗ distinct_l_diversity: it has at least 2, asked 3"],
        ),
        "values of an entropy": (
            plan("diversity = { entropy = 2 }", it=ILL),
            "age it; 1 a; 1 b; 2 a; 2 b; 2 c; 2 c",
            ["✓ entropy_l_diversity: it has at least 2, asked 2"],
        ),
        "values of too small an entropy": (
            plan("diversity = { entropy = 2 }", it=ILL),
            "age it; 1 a; 1 b; 2 a; 2 a; 2 a; 2 b",
            ["✗ entropy_l_diversity: it has at least 1.75477, asked 2"],
        ),
        "the commonest value just below c times the rest": (
            plan("diversity = { recursive = { c = 2.001, l = 2 } }", it=ILL),
            RARE,
            ["✓ recursive_c_l_diversity: it, c = 2001/1000, l = 2"],
        ),
        "the commonest value c times the rest": (
            plan("diversity = { recursive = { c = 2.0000000003, l = 2 } }", it=ILL),
            RARE,
            ["✗ recursive_c_l_diversity: it, c = 2, l = 2"],
        ),
        "the commonest value c times what is left": (
            plan("diversity = { recursive = { c = 4, l = 3 } }", it=ILL),
            RARE,
            ["✗ recursive_c_l_diversity: it, c = 4, l = 3"],
        ),
        "the commonest value below c times what is left": (
            plan("diversity = { recursive = { c = 4.5, l = 3 } }", it=ILL),
            RARE,
            ["✓ recursive_c_l_diversity: it, c = 9/2, l = 3"],
        ),
        "the chance of a prosecutor": (
            plan("risk = { prosecutor = 0.3333333331 }"),
            "age; 1; 1; 1",
            [
                "✓ k_anonymity: the only class has 3 records, asked 1",
                "✓ prosecutor_risk: the smallest class has 3, which is 1/3, allowed 0.3333",
            ],
        ),
        "a greater chance of a prosecutor by a billionth": (
            plan("risk = { prosecutor = 0.333333333 }"),
            "age; 1; 1; 1",
            [
                "✓ k_anonymity: the only class has 3 records, asked 1",
                "✗ prosecutor_risk: the smallest class has 3, which is 1/3, allowed 0.3333",
            ],
        ),
        "a public release": (
            plan("risk = { prosecutor = 'public' }"),
            "age" + "; 1" * 11,
            [
                "✓ k_anonymity: the only class has 11 records, asked 1",
                "✓ prosecutor_risk: the smallest class has 11, which is 1/11, allowed 0.09091",
            ],
        ),
        "a public release of a record too few": (
            plan("risk = { prosecutor = 'public' }"),
            "age" + "; 1" * 10,
            [
                "✓ k_anonymity: the only class has 10 records, asked 1",
                "✗ prosecutor_risk: the smallest class has 10, which is 1/10, allowed 0.09091",
            ],
        ),
        "a restricted release": (
            plan("risk = { prosecutor = 'restricted' }"),
            "age; 1; 1; 1; 1; 1",
            [
                "✓ k_anonymity: the only class has 5 records, asked 1",
                "✓ prosecutor_risk: the smallest class has 5, which is 1/5, allowed 0.2",
            ],
        ),
        "a restricted release of a record too few": (
            plan("risk = { prosecutor = 'restricted' }"),
            "age; 1; 1; 1; 1",
            [
                "✓ k_anonymity: the only class has 4 records, asked 1",
                "✗ prosecutor_risk: the smallest class has 4, which is 1/4, allowed 0.2",
            ],
        ),
        "the chance of a prosecutor, whoever the records are of": (
            plan("subject = 'who'\nrisk = { prosecutor = 0.5 }"),
            "age; 1; 1",
            [
                f"? k_anonymity: the only class has 2 records, asked 1{UNCOUNTED}",
                f"? prosecutor_risk: the smallest class has 2, which is 1/2, allowed 0.5{UNCOUNTED}",
            ],
        ),
        "too great a chance of a prosecutor, whoever the records are of": (
            plan("subject = 'who'\nrisk = { prosecutor = 0.4 }"),
            "age; 1; 1",
            [
                f"? k_anonymity: the only class has 2 records, asked 1{UNCOUNTED}",
                f"✗ prosecutor_risk: the smallest class has 2, which is 1/2, allowed 0.4{UNCOUNTED}",
            ],
        ),
        "the chance of a prosecutor who counts persons": (
            plan("subject = 'who'\nrisk = { prosecutor = 0.5 }"),
            "age; 1; 1; 1",
            ["✓ prosecutor_risk: the smallest class has 2, which is 1/2, allowed 0.5"],
            "who age; p 1; p 1; q 1",
            "out in; 0 0; 1 1; 2 2",
        ),
        "chances in a population": (
            plan("risk = { journalist = 0.1, marketer = 0.1 }"),
            "age; 1",
            [
                "✓ k_anonymity: the only class has 1 record, asked 1",
                "? journalist_risk: the people of the population are an estimate, which is not judged here",
                "? marketer_risk: the people of the population are an estimate, which is not judged here",
            ],
        ),
        "shares": (
            plan("dominance = 0.5"),
            "age; 1",
            ["? dominance: the shares that single persons have of means are not judged here"],
        ),
        "weights": (
            plan("weights = 'w'", w=AMOUNT),
            "age w; 1 1",
            ["? dominance: the shares that single persons have of means are not judged here"],
        ),
        "keys that are not known": (
            plan(
                "order = 1\ncloseness = { t = 1, tt = 0 }\ndiversity = { distinct = 1, dd = 2 }\nrisk = { p = 0 }",
                it=ILL + ", rond = 5",
            ),
            "age it; 1 a",
            [
                "? plan: what 'dd', 'order', 'p', 'rond', 'tt' asks for is not judged here",
                "✓ t_closeness: it is within 0, asked 1",
                "✓ distinct_l_diversity: it has at least 1, asked 1",
            ],
        ),
        "as many dropped as the plan allows": (
            plan("suppress = 0.4"),
            "age; 1; 1; 2",
            ["✓ suppress: 2 of 5 records were dropped, allowed share 0.4"],
            "who age; a 1; b 1; c 2; d 9; e 9",
            "out in; 0 0; 1 1; 2 2",
        ),
        "more dropped than the plan allows": (
            plan("suppress = 0.39"),
            "age; 1; 1; 2",
            ["✗ suppress: 2 of 5 records were dropped, allowed share 0.39"],
            "who age; a 1; b 1; c 2; d 9; e 9",
            "out in; 0 0; 1 1; 2 2",
        ),
        "one dropped": (
            plan(),
            "age; 1",
            ["✗ suppress: 1 of 2 records was dropped, allowed share 0"],
            "who age; a 1; b 1",
            "out in; 0 0",
        ),
        "one value for a person": (
            plan("subject = 'who'"),
            "age; 1; 2",
            ["✗ constant_attributes: 'age' is one for each who in the original, and several in the release"],
            "who age; p 1; p 1",
            "out in; 0 0; 1 1",
        ),
        "several values of a person": (
            plan("subject = 'who'"),
            "age; 1; 2",
            [],
            "who age; p 1; p 2",
            "out in; 0 0; 1 1",
        ),
        "several values of persons of one record": (plan(), "age; 1; 2", [], "who age; p 1; p 1"),
        "one place of a person": (
            plan("subject = 'who'", age="", lat=PLACE),
            "lat lon; 1 1; 2 2",
            [
                "✗ constant_attributes: 'lat' is one for each who in the original, and several in the release",
                "✗ constant_attributes: 'lon' is one for each who in the original, and several in the release",
            ],
            "who lat lon; p 1 1; p 1 1",
            "out in; 0 0; 1 1",
        ),
        "several places of a person on a meridian": (
            plan("subject = 'who'", age="", lat=PLACE),
            "lat lon; 1 1; 2 2",
            [],
            "who lat lon; p 1 1; p 2 1",
            "out in; 0 0; 1 1",
        ),
        "several places of a person on a parallel": (
            plan("subject = 'who'", age="", lat=PLACE),
            "lat lon; 1 1; 2 2",
            [],
            "who lat lon; p 1 1; p 1 2",
            "out in; 0 0; 1 1",
        ),
        "several distances of a person from dates": (
            plan("subject = 'who'", age="", born=NAME + ', kind = "date"', day=DAY + ', relative_to = "born"'),
            "day; 1; 2",
            [],
            "who born day; p 2020-01-01 2020-01-02; p 2020-01-02 2020-01-02",
            "out in; 0 0; 1 1",
        ),
        "k pseudonyms in the same classes": (
            plan("k = 2\nsubject = 'who'\nkeep_subject = 'pseudonym'"),
            "who age; aaaaaaaaaaaaa 1; bbbbbbbbbbbbb 1",
            [
                "✓ k_anonymity: the classes have records of at least 2 different who, asked 2",
                "✓ history_k_anonymity: at least 2 pseudonyms have rows in the same classes, asked 2",
            ],
            "who age; p 1; q 2",
        ),
        "fewer than k pseudonyms in the same classes": (
            plan("k = 2\nsubject = 'who'\nkeep_subject = 'pseudonym'"),
            "who age; aaaaaaaaaaaaa 1; bbbbbbbbbbbbb 1; aaaaaaaaaaaaa 2; ccccccccccccc 2; ddddddddddddd 2",
            [
                f"? k_anonymity: the classes have records of at least 2 different who, asked 2{UNTOLD}",
                "✗ history_k_anonymity: at least 1 pseudonym has rows in the same classes, asked 2",
            ],
            "who age; p 1; q 2; p 3; r 4; s 5",
        ),
        "a gap for a pseudonym, and an identifier that was not there": (
            plan("subject = 'who'\nkeep_subject = 'pseudonym'", mail=NAME),
            "who age; ~ 1",
            [
                "✗ pseudonyms: who: what is not 13 letters and digits is no pseudonym",
                "✗ identifiers: 'who' left, which the plan calls identifier",
                "✓ history_k_anonymity: at least 1 pseudonym has rows in the same classes, asked 1",
            ],
            "who age; p 1",
        ),
        "pseudonyms where an identifier was not there": (
            plan("subject = 'who'\nkeep_subject = 'pseudonym'", mail=NAME),
            "who age; aaaaaaaaaaaaa 1",
            ["✓ history_k_anonymity: at least 1 pseudonym has rows in the same classes, asked 1"],
            "who age; p 1",
        ),
        "groups of a permutation": (
            plan("release = 'permute'\ncloseness = { t = 0.1, n = 2 }", it=ILL),
            "age it; 1 b; 2 a",
            [
                "? probabilistic_k_anonymity: the groups of a permutation leave no trace",
                "? n_t_closeness: the groups of a permutation leave no trace",
            ],
        ),
        "groups of a permutation, near the table": (
            plan("release = 'permute'\ncloseness = { t = 0.1 }\ndiversity = { distinct = 2 }", it=ILL),
            "age it; 1 b; 2 a",
            [
                "? probabilistic_k_anonymity: the groups of a permutation leave no trace",
                "? distinct_l_diversity: the groups of a permutation leave no trace",
                "? t_closeness: the groups of a permutation leave no trace",
            ],
        ),
        "a permutation of one record": (
            plan("release = 'permute'", it=ILL),
            "age it; 1 a",
            ["? probabilistic_k_anonymity: the groups of a permutation leave no trace"],
            "who age it; p 1 a",
        ),
        "a record of a permutation that was not there": (
            plan("release = 'permute'", it=ILL),
            "age it; 1 b",
            [
                "? probabilistic_k_anonymity: the groups of a permutation leave no trace",
                "✗ permuted: 1 record has confidential values that none of the original's has",
            ],
            "who age it; p 1 a",
        ),
        "two equal records of a permutation, of which one was there": (
            plan("release = 'permute'", it=ILL, pay=PAY),
            "age it pay; 1 a 1; 2 a 1; 3 c 3",
            [
                "? probabilistic_k_anonymity: the groups of a permutation leave no trace",
                "✗ permuted: 1 record has confidential values that none of the original's has",
            ],
            "who age it pay; p 1 a 1; q 2 b 2; r 3 c 3",
        ),
        "records of a permutation that were not there": (
            plan("release = 'permute'", it=ILL),
            "age it; 1 b; 2 b",
            [
                "? probabilistic_k_anonymity: the groups of a permutation leave no trace",
                "✗ permuted: 2 records have confidential values that none of the original's has",
            ],
            "who age it; p 1 a; q 2 a",
        ),
        "digits in a permutation that a double drops, and that were there": (
            plan("release = 'permute'", it=PAY),
            "age it; 1 5; 2 7.00000000000000000001",
            ["? probabilistic_k_anonymity: the groups of a permutation leave no trace"],
            "who age it; p 1 7.00000000000000000001; q 2 5",
        ),
        "digits in a permutation that a double drops, twice": (
            plan("release = 'permute'", it=PAY),
            "age it; 1 5.00000000000000000001; 2 7.00000000000000000001",
            [
                "? probabilistic_k_anonymity: the groups of a permutation leave no trace",
                "✗ permuted: 2 records have confidential values that none of the original's has",
            ],
            "who age it; p 1 7; q 2 5",
        ),
        "a column of a permutation that nobody declared": (
            plan("release = 'permute'", it=ILL),
            "age it new; 1 a x",
            [
                "✗ columns: 'new' left, which the plan does not declare",
                "? probabilistic_k_anonymity: the groups of a permutation leave no trace",
            ],
            "who age it new; p 1 a x",
        ),
        "a permutation leaves quasi-identifiers, and recodes them": (
            plan("release = 'permute'", age=NUMBER + ", round_to = 5", it=ILL),
            "age it; 10 b; 0 a",
            [
                "✓ round_to: age has 0 values that are no multiple of 5",
                "? probabilistic_k_anonymity: the groups of a permutation leave no trace",
            ],
            "who age it; p 9 a; q 2 b",
        ),
    }
)
def test_a_promise_is_judged_to_the_bound(
    tmp_path: Path, asked: str, release: str, expected: list[str], original: str | None, row_map: str | None
) -> None:
    check(tmp_path, expected, asked, release, original, row_map)

"""Options: choices that belong together as one checked model, and what is wrong with them in one sentence.

Every room declares its own, and the plan is made of them. A description stands beside each field: the plan's schema,
the help of the command line and the tables in the docs are made from it.
"""

from shoal.options._explain import UNDECIDED, explain, explain_value, wrong_field
from shoal.options.options import Key, Options, checked, key_of, plain, refuse_huge_numbers

__all__ = [
    "UNDECIDED",
    "Key",
    "Options",
    "checked",
    "explain",
    "explain_value",
    "key_of",
    "plain",
    "refuse_huge_numbers",
    "wrong_field",
]

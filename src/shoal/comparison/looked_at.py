"""What a comparison can look at: measures by their keys, and attacks by theirs behind ``attack_``."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.attacks import ATTACKS
from shoal.attacks.definition import PREFIX
from shoal.measures import MEASURES, Definition
from shoal.registry import each_once


def is_attack(key: str) -> bool:
    """Tell the key of an attack from that of a measure."""
    return key.startswith(PREFIX) and key not in MEASURES


def definition_of(key: str) -> Definition:
    """Return what stands behind a key, or refuse a key that there is not.

    Examples
    --------
    >>> definition_of("il_percent").better, definition_of("attack_linkage").unit
    ('lower', '%')
    """
    if is_attack(key):
        return ATTACKS.named(key.removeprefix(PREFIX)).as_measure()
    return MEASURES.named(key).definition


def split(keys: Iterable[str], option: str = "keys") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the measures and the attacks among keys, each once.

    Examples
    --------
    >>> split(["dld", "attack_linkage", "dld"])
    (('dld',), ('attack_linkage',))
    """
    known = dict.fromkeys(definition_of(key).key for key in each_once(keys, option))
    return tuple(key for key in known if not is_attack(key)), tuple(key for key in known if is_attack(key))

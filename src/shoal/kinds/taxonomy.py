"""Taxonomy: what a plan says of the tree of a nominal column, written out or by a rule.

Written out, it is one tree for every table (`Hierarchy`). By rule it is made of the codes as they come: the first so
many characters of a code are its ancestors. Both tell the path of any code, so that tables and streams, which do not
know their codes beforehand, compare by the same levels.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import DataError, PlanError
from shoal.kinds.hierarchy import ROOT, Hierarchy, nested_tables
from shoal.kinds.text import category_text

RULE = "prefix"
"""The key of a rule; a tree that is written out names its nodes in its place."""


@dataclass(frozen=True)
class Taxonomy:
    """The tree of a nominal column.

    Use `of`. Squared, the distance of two codes is a weighted sum of 0/1 differences, one for each level: the height h
    of the lowest node above both, divided by the height H of the tree, gives (h/H)², and level i = 1 … H adds
    (2i − 1)/H² where the codes have different ancestors there (docs/taxonomies.md has the proof).

    >>> codes = Taxonomy.of({"prefix": [1, 3]})
    >>> codes.path("08034"), codes.height
    (('08034', '080', '0'), 3)
    >>> lungs = Taxonomy.of({"lungs": ["flu", "asthma"], "skin": ["rash"]})
    >>> lungs.path("flu"), lungs.path("gout"), lungs.weights
    (('flu', 'lungs'), None, (0.25, 0.75))
    """

    tree: Hierarchy | None = None  # the tree that was written out, or None
    lengths: tuple[int, ...] = ()  # the lengths of prefixes, longest first, where the tree is made by rule

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Taxonomy:
        """Read nested tables of categories, or ``{"prefix": [1, 3]}``."""
        if not isinstance(plain, Mapping) or not plain:
            raise PlanError(
                "hierarchy must be tables of lists of codes, the name of a file of paths, or { prefix = [1, 3] }, and "
                "not empty"
            )
        if set(plain) != {RULE}:
            root, below, left_out = ROOT, plain, -1
            while isinstance(below, Mapping) and len(below) == 1:  # one node above all is the root, by its name
                ((root, below),) = below.items()
                left_out += 1
            return cls(tree=Hierarchy.of(below, root=str(root), left_out=max(left_out, 0)))
        lengths = plain[RULE]
        are_counts = isinstance(lengths, list | tuple) and all(type(length) is int and length > 0 for length in lengths)
        if not are_counts or not lengths or len(set(lengths)) < len(lengths):
            raise PlanError(
                "hierarchy.prefix must list at least one number of characters above 0, each once, such as [1, 3]"
            )
        return cls(lengths=tuple(sorted(lengths, reverse=True)))

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as a plan writes it."""
        if self.tree is None:
            return {RULE: list(self.lengths)}
        return {self.tree.names[-1]: self.tree.to_nested()}

    @property
    def root(self) -> str:
        """The name of the node above all others."""
        return ROOT if self.tree is None else self.tree.names[-1]

    @property
    def height(self) -> int:
        """Height of the root: how many levels have nodes of their own below it."""
        return len(self.lengths) + 1 if self.tree is None else self.tree.height

    @property
    def weights(self) -> tuple[float, ...]:
        """What a difference in each level adds to the squared distance, the lowest first; together 1."""
        return tuple((2 * level - 1) / self.height**2 for level in range(1, self.height + 1))

    def path(self, text: str) -> tuple[str, ...] | None:
        """Return what tells a code from others in each level, the lowest first; None for a code outside the tree.

        A node of a release, above the codes, has a path too: below itself nothing is like it.
        """
        if self.tree is None:
            return self._prefixes(text)
        node = self.tree.places.get(text)
        if node is None:
            return None
        texts = self.tree.texts
        above = self.tree.ancestors[:, node].tolist()
        # Equal names of a chain stand at different levels.
        return tuple(texts[ancestor] if ancestor >= 0 else f"{text}{_BELOW}" for ancestor in above)

    def _prefixes(self, text: str) -> tuple[str, ...] | None:
        if self.is_code(text):
            return (text, *(text[:length] for length in self.lengths))
        bare = text.rstrip("*")
        if len(bare) not in self.lengths and text != ROOT:
            return None
        below = f"{text}{_BELOW}"
        return (below, *(bare[:length] if length <= len(bare) else below for length in self.lengths))

    def is_code(self, text: str) -> bool:
        """Whether a text is a code of the tree, not a node above codes."""
        if self.tree is None:
            return len(text) >= self.lengths[0] and not text.endswith("*")
        return self.tree.places.get(text, len(self.tree.leaves)) < len(self.tree.leaves)

    def node(self, text: str, height: int, lengths: Collection[int]) -> str:
        """Return the name of the node of this height above a code; 0 is the code itself.

        A prefix is filled up with ``*`` where all codes of the column are as long, by their ``lengths``: 080**.
        """
        path = self.path(text)
        if path is None or height >= self.height:
            return self.root
        if height == 0 or self.tree is not None or len(lengths) != 1:
            return path[height]
        return path[height].ljust(max(lengths), "*")

    def hierarchy(self, texts: Iterable[str]) -> Hierarchy:
        """Return the tree written out, for these codes where it is made by rule."""
        if self.tree is not None:
            return self.tree
        paths = []
        for text in dict.fromkeys(texts):
            path = self.path(text)
            if path is None:
                raise DataError(
                    f"a hierarchy by prefix needs codes of at least {self.lengths[0]} characters, and some are shorter"
                )
            paths.append([text, *(f"{name}…" for name in path[1:])])
        return Hierarchy.of(nested_tables(paths))


_BELOW = "\x00"
"""Marks what no code is like."""


def tree_of(plain: Mapping[str, Any], texts: Iterable[str]) -> Hierarchy:
    """Return the tree of a confidential attribute, made of its categories where a rule makes it."""
    return check_tree(plain).hierarchy(texts)


def check_tree(plain: Mapping[str, Any]) -> Taxonomy:
    """Read the tree of a confidential attribute, whatever its categories are; a single node above all stays in it."""
    by_rule = isinstance(plain, Mapping) and set(plain) == {RULE}
    return Taxonomy.of(plain) if by_rule else Taxonomy(tree=Hierarchy.of(plain))


NO_CODE = "\x00missing"
"""The path of missing cells, where they are a category: like nothing else in any level."""


def level_paths(taxonomy: Taxonomy, levels: Iterable[Any]) -> list[tuple[str, ...]]:
    """Return the path of each category; one that the tree does not name is like nothing else."""
    height = taxonomy.height
    texts = map(level_text, levels)
    return [
        (NO_CODE,) * height if text == NO_CODE else taxonomy.path(text) or (f"{text}{_BELOW}",) * height
        for text in texts
    ]


def number_nodes(paths: Iterable[Sequence[str]], level: int, known: Iterable[str] = ()) -> list[int]:
    """Number the node of each path in a level, those that are known first."""
    numbers = {node: number for number, node in enumerate(known)}
    return [numbers.setdefault(path[level], len(numbers)) for path in paths]


def level_text(level: Any) -> str:
    """Return how a category is written, missing among them."""
    return NO_CODE if level is None else category_text(level)

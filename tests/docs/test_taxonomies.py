"""The file of paths on the page of taxonomies is the tree that its rule makes."""

from __future__ import annotations

from docs.pages import blocks, text_of
from shoal.kinds.hierarchy_file import read_hierarchy
from shoal.kinds.taxonomy import Taxonomy


def test_the_file_of_paths_on_the_page_is_the_tree_of_the_rule(tmp_path) -> None:
    (text,) = blocks(text_of("docs/taxonomies.md"), "text")
    (tmp_path / "codes.csv").write_text(text, encoding="utf-8")
    by_file = Taxonomy.of(read_hierarchy(str(tmp_path / "codes.csv")))
    by_rule = Taxonomy.of({"prefix": [1, 3]})
    for code in ("08001", "08034", "17002"):
        assert by_file.path(code) == by_rule.path(code)

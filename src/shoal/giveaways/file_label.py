"""The label of a Stata or SPSS file, which a file of these formats keeps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.giveaways.giveaway import Giveaway

if TYPE_CHECKING:
    from shoal.files import SourceFile  # which loads polars, and not every run needs it


def file_label(source: SourceFile) -> Iterator[Giveaway]:
    """Find the label of the file that a table came from; a file of another format does not keep it."""
    if source.labels is not None and source.labels.file:
        sentence = (
            "the label of the file leaves with a Stata or SPSS file: clear it if it could name people, or write "
            "another format"
        )
        yield Giveaway("file_label", sentence, (), source.frame.height)

"""Tables in files: read them with what must be kept, write them whole or not at all."""

from shoal.files._write import Written, target_format, write
from shoal.files.dialect import Dialect
from shoal.files.formats import FORMATS, Format
from shoal.files.labelled import Labels
from shoal.files.output import Outputs
from shoal.files.source import SourceFile, read

__all__ = [
    "FORMATS",
    "Dialect",
    "Format",
    "Labels",
    "Outputs",
    "SourceFile",
    "Written",
    "read",
    "target_format",
    "write",
]

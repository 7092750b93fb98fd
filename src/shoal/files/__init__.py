"""Tables in files: read them with what must be kept, write them whole or not at all."""

from shoal.files._read import read
from shoal.files._write import Written, target_format, write
from shoal.files.csv.dialect import Dialect
from shoal.files.csv.formulas import formula_columns
from shoal.files.database import Address, Database, is_address
from shoal.files.format import Format, Input, Target, TextOptions, not_whole
from shoal.files.outputs import Outputs
from shoal.files.packing import is_packed
from shoal.files.private import open_for_owner, read_secret
from shoal.files.registry import FORMATS, format_names, format_titles
from shoal.files.source_file import Contents, Labels, SourceFile

__all__ = [
    "FORMATS",
    "Address",
    "Contents",
    "Database",
    "Dialect",
    "Format",
    "Input",
    "Labels",
    "Outputs",
    "SourceFile",
    "Target",
    "TextOptions",
    "Written",
    "format_names",
    "format_titles",
    "formula_columns",
    "is_address",
    "is_packed",
    "not_whole",
    "open_for_owner",
    "read",
    "read_secret",
    "target_format",
    "write",
]

"""Slow twin of the kernel that cuts CSV text into cells: one character after another."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Cut:
    rows: list[list[str | None]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # on which each row starts
    fault: int = 0
    fault_line: int = 0
    fault_width: int = 0


def cut_csv(text: str, delimiter: str) -> Cut:
    """Cut a text into rows of cells; None is an empty cell without quotation marks."""
    cut = Cut()
    at, line = 0, 1

    def line_end(position: int) -> int:
        """Length of the line end at a position; 0 if there is none."""
        if text.startswith("\r\n", position):
            return 2
        return 1 if text[position : position + 1] in ("\r", "\n") and position < len(text) else 0

    while at < len(text):
        if line_end(at):
            at += line_end(at)
            line += 1
            continue
        start_line = line
        row: list[str | None] = []
        while True:
            if text[at : at + 1] == '"':
                opened = line
                at += 1
                cell = ""
                while True:
                    if at >= len(text):
                        cut.fault, cut.fault_line = 2, opened
                        return cut
                    if text.startswith('""', at):
                        cell += '"'
                        at += 2
                    elif text[at] == '"':
                        at += 1
                        break
                    elif line_end(at):
                        cell += text[at : at + line_end(at)]
                        at += line_end(at)
                        line += 1
                    else:
                        cell += text[at]
                        at += 1
                row.append(cell)
                if at < len(text) and text[at] != delimiter and not line_end(at):
                    cut.fault, cut.fault_line = 3, line
                    return cut
            else:
                begin = at
                while at < len(text) and text[at] != delimiter and not line_end(at):
                    at += 1
                row.append(text[begin:at] or None)
            if text[at : at + 1] != delimiter:
                break
            at += 1
        if at < len(text):
            at += line_end(at)
            line += 1
        if cut.rows and len(row) != len(cut.rows[0]):
            cut.fault, cut.fault_line, cut.fault_width = 1, start_line, len(row)
            return cut
        cut.rows.append(row)
        cut.lines.append(start_line)
    return cut

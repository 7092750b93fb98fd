"""The papers' tables and figures, a folder for each paper: functions that return rows, and the exhibits they make."""

"""The papers' tables and figures, as pure functions that return their rows."""

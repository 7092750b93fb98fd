"""Sections of a report behind page one: what each number rests on."""

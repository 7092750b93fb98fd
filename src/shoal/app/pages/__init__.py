"""The pages: one file per step."""

"""A table and its plan become masked columns: inputs read and recoded, records grouped, groups averaged."""

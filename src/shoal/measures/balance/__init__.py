"""Risk and utility weighed against each other in one number: one idea per file."""

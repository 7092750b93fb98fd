"""How work grows on tables and streams that are made to be slow, counted in instructions."""

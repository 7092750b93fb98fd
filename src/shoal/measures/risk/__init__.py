"""What a release gives away about the people in it: one idea per file."""

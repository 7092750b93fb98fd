"""What a release keeps of the table: one idea per file."""

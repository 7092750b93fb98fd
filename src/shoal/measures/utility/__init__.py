"""What a release lost of the table it was made from: one idea per file."""

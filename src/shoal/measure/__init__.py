"""Measures of what a release gives away and of what it keeps."""

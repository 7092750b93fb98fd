"""Signatures of the compiled kernels. Arrays are column-major; progress is called with (done, total)."""

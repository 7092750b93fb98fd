"""Random inputs against independent judges: short and seeded in the suite, as long as wanted by hand."""

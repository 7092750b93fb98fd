"""One run: read, preflight, group, mask, verify, manifest: a frame and a plan in, a release out."""

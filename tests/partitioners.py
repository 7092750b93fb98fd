"""The registered methods that partition records by all their attributes."""

from shoal.partition import METHODS

PARTITIONERS = {name: method.partition for name, method in METHODS.items() if method.attributes == "together"}

OF_SUBJECTS = {name: PARTITIONERS[name] for name in ("mdav", "vmdav")}
"""Those whose k counts subjects where points have them."""

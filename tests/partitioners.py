"""The registered methods that partition records by all their attributes."""

from shoal.partitioners import METHODS

PARTITIONERS = {name: method.partition for name, method in METHODS.items() if method.attributes == "together"}

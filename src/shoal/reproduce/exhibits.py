"""Every exhibit of the five papers that can be made again, in the order of the papers' subjects."""

from __future__ import annotations

from shoal.reproduce.domingo_ferrer_2005 import exhibits as mdav
from shoal.reproduce.domingo_ferrer_2017 import exhibits as steering
from shoal.reproduce.exhibit import Exhibit
from shoal.reproduce.nin_2014 import exhibits as one_dimension
from shoal.reproduce.rebollo_monedero_2016 import exhibits as dependence
from shoal.reproduce.soria_comas_2015 import exhibits as closeness

EXHIBITS: dict[str, Exhibit] = {
    exhibit.name: exhibit
    for paper in (mdav, closeness, one_dimension, dependence, steering)
    for exhibit in paper.EXHIBITS
}
"""What `shoal reproduce` makes, by its name on the command line."""

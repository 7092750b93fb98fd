"""The papers' tables and figures, a file for each paper: functions that return rows, and the exhibits they make."""

from shoal.reproduce import domingo_ferrer_2005, domingo_ferrer_2017, nin_2014, rebollo_monedero_2016, soria_comas_2015
from shoal.reproduce.exhibit import Exhibit
from shoal.reproduce.reference import Reference

__all__ = ["EXHIBITS", "Exhibit", "Reference"]

EXHIBITS: dict[str, Exhibit] = {
    exhibit.name: exhibit
    for paper in (domingo_ferrer_2005, soria_comas_2015, nin_2014, rebollo_monedero_2016, domingo_ferrer_2017)
    for exhibit in paper.EXHIBITS
}
"""What `shoal reproduce` makes, by its name on the command line, in the order of the papers' subjects."""

"""Rebollo-Monedero et al. 2016: microaggregation that preserves statistical dependence."""

"""The model of a release: what it takes to mask tomorrow's records like today's, and to release the table again."""

from shoal.republish.ledger import Ledger
from shoal.run.model.apply import Applied
from shoal.run.model.model import Model

__all__ = ["Applied", "Ledger", "Model"]

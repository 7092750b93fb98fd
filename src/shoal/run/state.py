"""Run state: what a run was given, and what its stages have found out so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.frames import Table
from shoal.giveaways import Giveaway
from shoal.masking.inputs import Inputs
from shoal.masking.mask import Masking
from shoal.masking.row_order import RowOrder
from shoal.masking.stopwatch import Stopwatch
from shoal.plan import Plan
from shoal.progress import Progress
from shoal.recode import Recoded
from shoal.republish.prior_releases import PriorReleases
from shoal.run.guarantees import Guarantees
from shoal.run.history import History
from shoal.run.manifest import Manifest
from shoal.run.model.model import ModelState


@dataclass(eq=False)
class RunState:
    """One run of a table in memory, from the frame that came in to the release that leaves.

    The first fields are given; each of the others is set by a stage of `shoal.run.pipeline.STAGES`, and may be read by
    the stages after it.

    Parameters
    ----------
    frame, plan
        The table as it came, and every choice of the run.
    history
        The releases before this one.
    key
        Makes pseudonyms; a random one that is forgotten if None.
    progress
        How grouping shows how far it is.
    strict
        Whether a giveaway ends the run.
    giveaways
        What leaves beside the guarantees: what the caller knows of, and what stages add.
    watch
        The seconds of each step.
    sections
        What stages have to say in the manifest.
    input_table
        The table that came, as the plan reads it.
    eligible_rows
        The rows that may leave now; None where nothing is held back.
    eligible_table
        Those rows of the input table.
    recoding
        The eligible table with coarser columns, and the steps to it.
    table
        The records that are masked, recoded: all eligible ones until some are suppressed.
    kept_rows
        Their places in the eligible table; None where none is suppressed.
    inputs
        What the plan reads of the table.
    prior_releases
        Earlier releases, record by record beside the table.
    masking
        The columns that change, and the groups.
    released
        The table that will leave.
    guarantees
        What was asked, and what holds on the released table.
    model_state
        What the model of the release is made of besides the release.
    order
        In which order the rows leave.
    manifest
        The account of the run.
    """

    frame: Any
    plan: Plan
    history: History = field(default_factory=History)
    key: bytes | None = field(default=None, repr=False)
    progress: Progress = None
    strict: bool = False
    giveaways: tuple[Giveaway, ...] = ()
    watch: Stopwatch = field(default_factory=Stopwatch)
    sections: dict[str, Any] = field(default_factory=dict)

    input_table: Table = field(init=False)
    eligible_rows: NDArray[np.int64] | None = field(init=False)
    eligible_table: Table = field(init=False)
    recoding: Recoded = field(init=False)
    table: Table = field(init=False)
    kept_rows: NDArray[np.int64] | None = field(default=None, init=False)
    inputs: Inputs = field(init=False)
    prior_releases: PriorReleases = field(init=False)
    masking: Masking = field(init=False)
    released: Table = field(init=False)
    guarantees: Guarantees = field(init=False)
    model_state: ModelState = field(init=False)
    order: RowOrder = field(init=False)
    manifest: Manifest = field(init=False)

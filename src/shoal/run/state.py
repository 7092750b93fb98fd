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
    """

    # frame, plan: the table as it came, and every choice of the run
    frame: Any
    plan: Plan
    history: History = field(default_factory=History)  # the releases before this one
    key: bytes | None = field(default=None, repr=False)  # makes pseudonyms; a random one that is forgotten if None
    progress: Progress = None  # how grouping shows how far it is
    strict: bool = False  # whether a giveaway ends the run
    # what leaves beside the guarantees: what the caller knows of, and what stages add
    giveaways: tuple[Giveaway, ...] = ()
    watch: Stopwatch = field(default_factory=Stopwatch)  # the seconds of each step
    sections: dict[str, Any] = field(default_factory=dict)  # what stages have to say in the manifest

    input_table: Table = field(init=False)  # the table that came, as the plan reads it
    # the rows that may leave now; None where nothing is held back
    eligible_rows: NDArray[np.int64] | None = field(init=False)
    eligible_table: Table = field(init=False)  # those rows of the input table
    recoding: Recoded = field(init=False)  # the eligible table with coarser columns, and the steps to it
    # the records that are masked, recoded: all eligible ones until some are suppressed
    table: Table = field(init=False)
    # their places in the eligible table; None where none is suppressed
    kept_rows: NDArray[np.int64] | None = field(default=None, init=False)
    inputs: Inputs = field(init=False)  # what the plan reads of the table
    prior_releases: PriorReleases = field(init=False)  # earlier releases, record by record beside the table
    masking: Masking = field(init=False)  # the columns that change, and the groups
    released: Table = field(init=False)  # the table that will leave
    guarantees: Guarantees = field(init=False)  # what was asked, and what holds on the released table
    model_state: ModelState = field(init=False)  # what the model of the release is made of besides the release
    order: RowOrder = field(init=False)  # in which order the rows leave
    manifest: Manifest = field(init=False)  # the account of the run

"""Rooms that can be called, as type checkers see them: they take modules for uncallable, and `callable_room` does not.

Every name of a room stands here; a test compares. In annotations, take names from the room itself:
``from shoal.attack import Attempts``.
"""

from types import ModuleType

import shoal.attack as _attack
import shoal.compare as _compare
import shoal.measure as _measure
import shoal.partition as _partition
import shoal.refine as _refine

class Attack(ModuleType):
    __call__ = staticmethod(_attack.attack)
    ATTACKS = _attack.ATTACKS
    Attack = _attack.Attack
    Attempt = _attack.Attempt
    Attempts = _attack.Attempts
    Baseline = _attack.Baseline
    Material = _attack.Material
    Outcome = _attack.Outcome
    attack = staticmethod(_attack.attack)
    attack_measures = staticmethod(_attack.attack_measures)
    attack_release = staticmethod(_attack.attack_release)

class Compare(ModuleType):
    __call__ = staticmethod(_compare.compare)
    Bound = _compare.Bound
    Candidate = _compare.Candidate
    Comparison = _compare.Comparison
    GOAL = _compare.GOAL
    Grid = _compare.Grid
    Run = _compare.Run
    candidates = staticmethod(_compare.candidates)
    compare = staticmethod(_compare.compare)
    pareto_front = staticmethod(_compare.pareto_front)
    parse_bounds = staticmethod(_compare.parse_bounds)
    pick = staticmethod(_compare.pick)

class Measure(ModuleType):
    __call__ = staticmethod(_measure.measure)
    AdversaryRisk = _measure.AdversaryRisk
    ColumnPair = _measure.ColumnPair
    ConfidentialColumn = _measure.ConfidentialColumn
    Definition = _measure.Definition
    Generalized = _measure.Generalized
    IdentificationRisks = _measure.IdentificationRisks
    MEASURES = _measure.MEASURES
    Measure = _measure.Measure
    Pair = _measure.Pair
    PopulationMatch = _measure.PopulationMatch
    PopulationUniques = _measure.PopulationUniques
    Score = _measure.Score
    Scores = _measure.Scores
    Subsets = _measure.Subsets
    assess = staticmethod(_measure.assess)
    compute = staticmethod(_measure.compute)
    d_x = staticmethod(_measure.d_x)
    d_y = staticmethod(_measure.d_y)
    delta_disclosure = staticmethod(_measure.delta_disclosure)
    dld = staticmethod(_measure.dld)
    dr = staticmethod(_measure.dr)
    emd_avg = staticmethod(_measure.emd_avg)
    emd_max = staticmethod(_measure.emd_max)
    equivalence_classes = staticmethod(_measure.equivalence_classes)
    id = staticmethod(_measure.id)
    id_sd = staticmethod(_measure.id_sd)
    identification_risks = staticmethod(_measure.identification_risks)
    il = staticmethod(_measure.il)
    il1s = staticmethod(_measure.il1s)
    il_percent = staticmethod(_measure.il_percent)
    k_linked = staticmethod(_measure.k_linked)
    k_min = staticmethod(_measure.k_min)
    k_prime = staticmethod(_measure.k_prime)
    l_avg = staticmethod(_measure.l_avg)
    l_distinct = staticmethod(_measure.l_distinct)
    l_entropy = staticmethod(_measure.l_entropy)
    l_recursive = staticmethod(_measure.l_recursive)
    mae = staticmethod(_measure.mae)
    match_population = staticmethod(_measure.match_population)
    measure = staticmethod(_measure.measure)
    measure_release = staticmethod(_measure.measure_release)
    mse = staticmethod(_measure.mse)
    mutual_information = staticmethod(_measure.mutual_information)
    normalised_sse = staticmethod(_measure.normalised_sse)
    p_sensitive = staticmethod(_measure.p_sensitive)
    population_error = staticmethod(_measure.population_error)
    population_il = staticmethod(_measure.population_il)
    population_k = staticmethod(_measure.population_k)
    population_risk = staticmethod(_measure.population_risk)
    population_uniques = staticmethod(_measure.population_uniques)
    read_generalized = staticmethod(_measure.read_generalized)
    score = staticmethod(_measure.score)
    sse = staticmethod(_measure.sse)
    subject_risk = staticmethod(_measure.subject_risk)
    visible_groups = staticmethod(_measure.visible_groups)

class Partition(ModuleType):
    __call__ = staticmethod(_partition.partition)
    METHODS = _partition.METHODS
    Method = _partition.Method
    block_count = staticmethod(_partition.block_count)
    blocked = staticmethod(_partition.blocked)
    blocks = staticmethod(_partition.blocks)
    cells = staticmethod(_partition.cells)
    individual = staticmethod(_partition.individual)
    make_blocks = staticmethod(_partition.make_blocks)
    mdav = staticmethod(_partition.mdav)
    mic1d = staticmethod(_partition.mic1d)
    mondrian = staticmethod(_partition.mondrian)
    partition = staticmethod(_partition.partition)
    projected = staticmethod(_partition.projected)
    univariate = staticmethod(_partition.univariate)
    vmdav = staticmethod(_partition.vmdav)

class Refine(ModuleType):
    __call__ = staticmethod(_refine.refine)
    EFFORTS = _refine.EFFORTS
    Effort = _refine.Effort
    Estimate = _refine.Estimate
    LowerBound = _refine.LowerBound
    Refinement = _refine.Refinement
    estimate_saving = staticmethod(_refine.estimate_saving)
    lower_bound = staticmethod(_refine.lower_bound)
    polish = staticmethod(_refine.polish)
    refine = staticmethod(_refine.refine)
    refinement = staticmethod(_refine.refinement)

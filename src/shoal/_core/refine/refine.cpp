// Refinement: labels in, labels that lose less out, every promise kept at every step.
//
// Annealing takes a block of records that fits the cache, then the next one; small tables are one block. Descent settles
// each block once it is cold. Polishing goes on where most is lost. At the end whatever is not better than the start is
// taken back, part by part. Where lists are joined instead of searched for, groups made from them anew are often a better
// start than those given.
#include <nanobind/stl/vector.h>

#include <chrono>

#include "bindings.hpp"
#include "progress.hpp"
#include "refine/annealing.hpp"
#include "refine/descent.hpp"
#include "refine/loss.hpp"
#include "refine/outside_in.hpp"
#include "refine/polishing.hpp"
#include "refine/start.hpp"
#include "search/record_arrays.hpp"

namespace shoal::refine {
namespace {

struct Effort {
  std::int32_t k;
  std::int32_t neighbours;    // in the list of each record
  double reach;               // share of the squared distance within which neighbours are looked for
  std::int32_t capacity;      // records that a group may grow to
  std::int64_t sweeps;        // of annealing
  bool thorough;              // whether descent goes on until nothing improves, or once over the records
  std::int64_t polishings;    // regions
  std::int32_t region;        // groups of each
  double heat;                // what temperatures are multiplied by
  std::uint64_t seed;
  double seconds;             // infinity where the sweeps alone count
};

struct Outcome {
  std::vector<std::int64_t> labels = {};
  double before = 0.0, after = 0.0;
  bool by_clock = false;     // whether the clock had a say in the result
  bool interrupted = false;
};

class Clock {
 public:
  explicit Clock(double seconds) : seconds_(seconds) {}
  // Of the time that is given, up to now.
  double share() const {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    return elapsed.count() / seconds_;
  }
  bool is_running() const { return std::isfinite(seconds_); }

 private:
  double seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

template <int D>
class Refinement {
 public:
  // Takes the spacing out of the lists, and refers to all else.
  Refinement(const Records& records, std::span<const std::int64_t> given, NeighbourLists& near, const Frame& frame, Promises& promises,
             const Start& start, const Effort& effort, const Clock& clock, Progress& progress)
      : records_(records),
        given_(given),
        near_(near),
        effort_(effort),
        clock_(clock),
        progress_(progress),
        most_(promises.has_rules() ? start.count + start.count / 4 + 16 : records.size / effort.k),
        groups_(start.group_of, start.count, effort.capacity, most_),
        space_(records, near.rows, frame, groups_),
        moves_(groups_, space_, promises, near,
               promises.has_rules() ? static_cast<std::int32_t>(records.size / start.count) : effort.k),
        descent_(moves_, near.rows.size(), effort.thorough),
        heat_(!promises.has_rules() && is_small() ? kSmall : kUsual),
        warmth_(own_warmth(promises.has_rules() ? spacing_in_groups() : std::move(near.spacing), heat_.own)),
        random_(effort.seed) {}

  // The stages; where one is interrupted, what it came to can be used.
  void run() {
    anneal();
    if (effort_.polishings > 0) polish();
  }

  bool by_clock() const { return by_clock_; }

  // The groups by row as they are now.
  std::vector<std::int64_t> labels() const {
    std::vector<std::int64_t> by_row(near_.rows.size());
    std::vector<Group> number(static_cast<std::size_t>(groups_.end()), -1);
    Group numbered = 0;
    for (std::size_t slot = 0; slot < by_row.size(); ++slot) {
      Group& given = number[groups_.of(static_cast<Slot>(slot))];
      if (given < 0) given = numbered++;
      by_row[near_.rows[slot]] = given;
    }
    return by_row;
  }

 private:
  static constexpr std::int64_t kBlock = 4096;
  // Where annealing begins, and how far the units of temperature are each record's own (the rest is the table's).
  // Small tables have the sweeps to begin where records far out still change groups, which decide much of the loss.
  struct Heat {
    double hot, own;
  };
  static constexpr Heat kUsual{1.2, 0.6}, kSmall{2.0, 0.4};
  static constexpr double kCold = 0.15;
  static constexpr int kRounds = 2;          // of dissolving and founding
  static constexpr double kAnnealing = 0.6;  // share of the time

  // Rules keep records in groups far wider than their nearest ones are apart: what is a little is then a share of what
  // a record costs in the group it starts in.
  std::vector<float> spacing_in_groups() const {
    constexpr float kShare = 0.2F;
    std::vector<float> spacing(near_.rows.size());
    for (Slot slot = 0; slot < slots(); ++slot) {
      const Group group = groups_.of(slot);
      spacing[slot] = kShare * space_.spread(group) / static_cast<float>(groups_.size(group));
    }
    return spacing;
  }

  bool is_small() const { return slots() <= 2 * kBlock; }
  Slot slots() const { return static_cast<Slot>(near_.rows.size()); }

  bool is_over(double share) {
    if (!clock_.is_running() || clock_.share() < share) return false;
    by_clock_ = true;
    return true;
  }

  void settle(Slot begin, Slot end) {
    const auto tick = [this] { progress_.tick(done_); };
    for (Slot slot = begin; slot < end; ++slot) descent_.add(slot);
    descent_.run(tick);
    for (int round = 0; effort_.thorough && round < kRounds; ++round) {
      if (!descent_.restructure(begin, end, tick)) break;
      descent_.run(tick);
    }
  }

  void anneal() {
    const std::int64_t n = slots();
    const std::int64_t block = is_small() ? n : kBlock;
    for (std::int64_t begin = 0; begin < n; begin += block) {
      const std::int64_t end = std::min(begin + block, n);
      anneal(static_cast<Slot>(begin), static_cast<Slot>(end), static_cast<double>(begin) / static_cast<double>(n),
             static_cast<double>(end) / static_cast<double>(n));
      settle(static_cast<Slot>(begin), static_cast<Slot>(end));
      if (is_over(kAnnealing)) return;
    }
  }

  // From hot to cold within a block, whose turn it is from a share of the time to another.
  void anneal(Slot begin, Slot end, double from, double to) {
    const Warmth warmth{warmth_.data()};
    for (std::int64_t i = 0; i < effort_.sweeps; ++i) {
      double share = effort_.sweeps > 1 ? static_cast<double>(i) / static_cast<double>(effort_.sweeps - 1) : 1.0;
      if (clock_.is_running()) {
        const double time = (clock_.share() / kAnnealing - from) / (to - from);
        if (time * static_cast<double>(effort_.sweeps) > static_cast<double>(i + 1)) {  // the clock is ahead
          share = std::max(share, time);
          by_clock_ = true;
          if (share > 1.0) return;
        }
      }
      const float temperature = cooled(effort_.heat * heat_.hot, effort_.heat * kCold, share);
      sweep(moves_, end - begin, temperature, warmth, random_, exponential_,
            [begin](std::uint64_t, std::int64_t at) { return begin + static_cast<Slot>(at); });
      done_ = static_cast<std::int64_t>((from + (to - from) * share) * kAnnealing * static_cast<double>(slots()));
      progress_.tick(done_);
    }
  }

  void polish() {
    take_better();
    Descent<D> thorough(moves_, near_.rows.size(), true);
    Polishing<D> polishing(moves_, thorough, effort_.region);
    for (std::int64_t i = 0; i < effort_.polishings && !is_over(1.0); ++i) {
      polishing.polish(random_);
      const double share = static_cast<double>(i + 1) / static_cast<double>(effort_.polishings);
      done_ = static_cast<std::int64_t>((kAnnealing + (1.0 - kAnnealing) * share) * static_cast<double>(slots()));
      progress_.tick(done_);
    }
  }

  // Goes on from the better of what is now and what was given, part by part: these may be more groups than either has, and
  // larger ones than it started with. Where both lose the same, from what is now: large groups of equal records were cut,
  // and take long to go through.
  void take_better() {
    std::vector<Group> group_of(near_.rows.size());
    {
      const std::vector<std::int64_t> best = better_of(records_, labels(), given_);
      for (std::size_t slot = 0; slot < group_of.size(); ++slot) {
        group_of[slot] = static_cast<Group>(best[near_.rows[slot]]);
      }
    }
    const std::int64_t count = *std::max_element(group_of.begin(), group_of.end()) + 1;
    groups_ = GroupTable(group_of, count, effort_.capacity, groups_.end());
    moves_.begin_anew();
  }

  const Records& records_;
  std::span<const std::int64_t> given_;  // by row
  const NeighbourLists& near_;
  Effort effort_;
  const Clock& clock_;
  Progress& progress_;
  std::int64_t most_;
  GroupTable groups_;
  Space<D> space_;
  Moves<D> moves_;
  Descent<D> descent_;
  Heat heat_;
  std::vector<float> warmth_;
  Random random_;
  Exponential exponential_;
  bool by_clock_ = false;
  std::int64_t done_ = 0;
};

// Ctrl-C ends the search, not the answer: what was found up to then is returned.
void until_interrupted(Outcome& outcome, const auto& work) {
  try {
    work();
  } catch (nb::python_error& error) {
    nb::gil_scoped_acquire gil;
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    outcome.interrupted = true;
  }
}

template <int D>
Outcome refine_in(const Records& records, std::span<const std::int64_t> labels, std::int64_t count,
                  const std::vector<const Constraint*>& rules, const Effort& effort, Progress& progress) {
  const Clock clock(effort.seconds);
  Outcome outcome{.before = loss_of(records, labels)};
  std::vector<std::int64_t> found;
  until_interrupted(outcome, [&] {
    const Frame frame = frame_of(records);
    NeighbourLists near = find_neighbours(records, {effort.neighbours, effort.reach, effort.k - 1, frame.unit}, progress);
    Promises promises(effort.k, records, near.rows, rules);
    Start start = start_from(labels, count, near.rows, promises);
    if (effort.reach <= 0.0 && promises.count_records_alone()) {
      Start anew = outside_in(records, near, frame, effort.k);
      if (loss_of(records, by_row(anew.group_of, near.rows)) < outcome.before) start = std::move(anew);
    }
    Refinement<D> refinement(records, labels, near, frame, promises, start, effort, clock, progress);
    start = {};
    until_interrupted(outcome, [&] { refinement.run(); });
    outcome.by_clock = refinement.by_clock();
    found = refinement.labels();
  });
  // With nothing else in memory by now: the better of those given and those found, part by part.
  outcome.labels = found.empty() ? std::vector<std::int64_t>(labels.begin(), labels.end()) : better_of(records, labels, found);
  found = {};
  outcome.after = loss_of(records, outcome.labels);
  return outcome;
}

nb::tuple run_refine(const RecordArrays& arrays, Vector<std::int64_t> labels, std::int64_t count, std::int32_t k,
                     const std::vector<const Constraint*>& rules, std::int32_t neighbours, double reach, std::int32_t capacity,
                     std::int64_t sweeps, bool thorough, std::int64_t polishings, std::int32_t region, double heat, std::uint64_t seed,
                     double seconds, nb::object callback) {
  const Records records = arrays.view();
  Progress progress(std::move(callback), records.size);
  const Effort effort{k, neighbours, reach, capacity, sweeps, thorough, polishings, region, heat, seed, seconds};
  Outcome outcome;
  {
    nb::gil_scoped_release release;
    const auto run = [&](auto refine_at_width) {
      outcome = refine_at_width(records, as_span(labels), count, rules, effort, progress);
    };
    switch ((records.coord_count + kLanes - 1) / kLanes) {
      case 0:
      case 1: run(refine_in<4>); break;
      case 2: run(refine_in<8>); break;
      case 3: run(refine_in<12>); break;
      case 4: run(refine_in<16>); break;
      default: run(refine_in<0>);
    }
    if (!outcome.interrupted) until_interrupted(outcome, [&] { progress.finish(); });
  }
  return nb::make_tuple(to_numpy(std::move(outcome.labels)), outcome.before, outcome.after, outcome.by_clock,
                        outcome.interrupted);
}

}  // namespace
}  // namespace shoal::refine

namespace shoal {

void bind_refine(nb::module_& module) {
  module.def("refine", &refine::run_refine, nb::arg("records"), nb::arg("labels"), nb::arg("count"), nb::arg("k"),
             nb::arg("rules"), nb::arg("neighbours"), nb::arg("reach"), nb::arg("capacity"), nb::arg("sweeps"), nb::arg("thorough"),
             nb::arg("polishings"), nb::arg("region"), nb::arg("heat"), nb::arg("seed"), nb::arg("seconds"), nb::arg("progress").none());
}

}  // namespace shoal

// Polishing: a few neighbouring groups are heated, cooled and kept if they lose less than before.
//
// What annealing leaves wrong is local: a handful of groups, often of records far out, that froze too early. Such a
// region is annealed by itself again and again, in its own units, regions that cost more the more often. It takes as
// long as its records need, whatever the size of the table, and the cost never rises.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "refine/annealing.hpp"
#include "refine/descent.hpp"

namespace shoal::refine {

template <int D>
class Polishing {
 public:
  // A region is so many groups: larger ones free what smaller ones cannot, and take longer. They begin cooler, since it
  // is room that frees them.
  Polishing(Moves<D>& moves, Descent<D>& descent, std::int32_t region)
      : moves_(moves),
        descent_(descent),
        groups_of_a_region_(static_cast<std::size_t>(region)),
        hot_(region > kUsual ? 0.6 : 1.0),
        marks_(moves.groups().end(), 0) {}

  // Draws a group, by the square root of its cost or so, and polishes the region around it.
  void polish(Random& random) {
    const GroupTable& groups = moves_.groups();
    if (drawn_++ % std::max<std::int64_t>(groups.end() / 4, 1) == 0) weigh();
    const double place = random.uniform() * weights_.back();
    const auto above = std::upper_bound(weights_.begin(), weights_.end(), place);
    const auto group = static_cast<Group>(above - weights_.begin());
    if (group < groups.end() && groups.size(group) > 0) polish_around(group, random);
  }

 private:
  static constexpr std::int32_t kUsual = 12;  // groups
  static constexpr int kSweeps = 30;
  static constexpr double kCold = 0.1;
  static constexpr double kPower = 0.6;

  void weigh() {
    GroupTable& groups = moves_.groups();
    weights_.assign(groups.end(), 0.0);
    double sum = 0.0;
    for (Group group = 0; group < groups.end(); ++group) {
      if (groups.size(group) > 0) sum += std::pow(static_cast<double>(moves_.space().spread(group)), kPower);
      weights_[group] = sum;
    }
  }

  void polish_around(Group centre, Random& random) {
    GroupTable& groups = moves_.groups();
    mark_region(centre);
    before_.clear();
    double cost = 0.0;
    for (const Group group : region_) {
      cost += moves_.space().cost(groups.members(group));
      for (const Slot slot : groups.members(group)) before_.push_back({slot, group});
    }
    const auto records = static_cast<std::int64_t>(before_.size());
    const Warmth warmth{nullptr, static_cast<float>(cost / static_cast<double>(records))};
    moves_.confine(marks_, mark_);
    for (int i = 0; i < kSweeps; ++i) {
      sweep(moves_, records, cooled(hot_, kCold, static_cast<double>(i) / (kSweeps - 1)), warmth, random, exponential_,
            [&](std::uint64_t bits, std::int64_t) { return before_[((bits >> 36) * records) >> 28].first; });
    }
    for (const auto& [slot, group] : before_) descent_.add(slot);
    descent_.run([] {});
    moves_.set_free();
    restore_unless_cheaper(cost);
  }

  // The group and its neighbours, and theirs, until they are enough.
  void mark_region(Group centre) {
    const GroupTable& groups = moves_.groups();
    const NeighbourLists& near = moves_.near();
    ++mark_;
    region_.assign(1, centre);
    marks_[centre] = mark_;
    for (std::size_t i = 0; i < region_.size(); ++i) {
      for (const Slot slot : groups.members(region_[i])) {
        for (int j = 0; j < near.length; ++j) {
          if (region_.size() == groups_of_a_region_) return;
          const Group group = groups.of(near.of(slot)[j]);
          if (marks_[group] == mark_) continue;
          marks_[group] = mark_;
          region_.push_back(group);
        }
      }
    }
  }

  void restore_unless_cheaper(double cost) {
    GroupTable& groups = moves_.groups();
    ++mark_;
    after_.clear();
    double now = 0.0;
    for (const auto& [slot, old] : before_) {
      const Group group = groups.of(slot);
      if (marks_[group] == mark_) continue;
      marks_[group] = mark_;
      after_.push_back(group);
      now += moves_.space().cost(groups.members(group));
    }
    if (now < cost * (1.0 - kNoise)) return;
    for (const Group group : after_) groups.clear(group);
    for (const auto& [slot, group] : before_) groups.add(slot, group);
    for (const Group group : region_) moves_.locate(group);
    for (const Group group : after_) {
      if (groups.size(group) == 0) groups.release(group);
    }
  }

  Moves<D>& moves_;
  Descent<D>& descent_;
  std::size_t groups_of_a_region_;
  double hot_;  // where annealing begins
  Exponential exponential_;
  std::vector<double> weights_;  // sums up to each group
  std::int64_t drawn_ = 0;
  std::vector<std::int32_t> marks_;
  std::int32_t mark_ = 0;
  std::vector<Group> region_, after_;
  std::vector<std::pair<Slot, Group>> before_;
};

}  // namespace shoal::refine

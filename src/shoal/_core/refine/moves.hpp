// The moves: a record joins another group or changes places with one of its members; a group dissolves among its
// neighbours; neighbours that can be spared found a group. Each is taken if the cost changes by less than a limit and
// every group it touches keeps its promises.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "refine/group_table.hpp"
#include "refine/kept_promises.hpp"
#include "refine/neighbour_lists.hpp"
#include "refine/promises.hpp"
#include "refine/space.hpp"

namespace shoal::refine {

inline constexpr float kNever = std::numeric_limits<float>::infinity();
inline constexpr Slot kNobody = -1;

// A record that moves to another group, and the member of that group that takes its place, if any.
struct Step {
  Slot slot = kNobody;
  Group from = -1, to = -1;
  Slot with = kNobody;
  float change = kNever;
};

// A change for the better smaller than this share of what it touches is rounding, not improvement.
inline constexpr double kNoise = 1e-7;

// Lifetime: refers to the table, space, promises and lists it is made of.
template <int D>
class Moves {
 public:
  Moves(GroupTable& groups, Space<D>& space, Promises& promises, const NeighbourLists& near, std::int32_t usual_size)
      : groups_(groups),
        space_(space),
        promises_(promises),
        kept_(promises, groups),
        near_(near),
        usual_size_(usual_size),
        changes_(groups.widest()) {}

  GroupTable& groups() { return groups_; }
  Space<D>& space() { return space_; }
  Promises& promises() { return promises_; }
  const NeighbourLists& near() const { return near_; }
  // Of most groups: k, unless rules ask for more.
  std::int32_t usual_size() const { return usual_size_; }

  // Moves touch no other groups than these from now on; `region` must stay in place until freed().
  void confine(std::vector<std::int32_t>& marks, std::int32_t mark) {
    marks_ = &marks;
    mark_ = mark;
  }
  void set_free() { marks_ = nullptr; }
  bool is_open(Group group) const { return marks_ == nullptr || (*marks_)[group] == mark_; }

  // The best step of x into another group that changes the cost by less than `limit`.
  Step into(Slot x, Group to, float limit) {
    const Group from = groups_.of(x);
    Step best{x, from, to, kNobody, limit};
    const bool can_join = groups_.size(from) > promises_.k() && groups_.has_room(to);
    const float joined = can_join ? space_.leaving(x, from) + space_.joining(x, to) : kNever;
    space_.exchanging(x, from, to, changes_.data());
    const auto members = groups_.members(to);
    if (promises_.count_records_alone()) {
      if (joined < best.change) best.change = joined;
      bool found = joined < limit;
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (changes_[i] < best.change) {
          best.change = changes_[i];
          best.with = members[i];
          found = true;
        }
      }
      return found ? best : Step{};
    }
    candidates_.clear();
    if (joined < limit) candidates_.push_back({joined, kNobody});
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (changes_[i] < limit) candidates_.push_back({changes_[i], members[i]});
    }
    return first_allowed(best);
  }

  void take(const Step& step) {
    groups_.remove(step.slot, step.from);
    if (step.with != kNobody) {
      groups_.remove(step.with, step.to);
      groups_.add(step.with, step.from);
    }
    groups_.add(step.slot, step.to);
    locate(step.from);
    locate(step.to);
  }

  // To be called where the members of a group changed.
  void locate(Group group) {
    space_.locate(group);
    kept_.changed(group);
  }

  // To be called where the table is another one than before.
  void begin_anew() {
    kept_.begin_anew();
    space_.begin_anew();
    changes_.resize(groups_.widest());
  }

  // Whether a step lowers the cost beyond rounding, counted in doubles.
  bool pays(const Step& step) {
    const auto from = groups_.members(step.from), to = groups_.members(step.to);
    const double before = space_.cost(from) + space_.cost(to);
    const auto changed = [&](std::span<const Slot> members, Slot without, Slot with) {
      scratch_.clear();
      for (const Slot slot : members) {
        if (slot != without) scratch_.push_back(slot);
      }
      if (with != kNobody) scratch_.push_back(with);
      return space_.cost(scratch_);
    };
    const double after = changed(from, step.slot, step.with) + changed(to, step.with, step.slot);
    return after < before * (1.0 - kNoise);
  }

  // The members of a group go to the nearest groups that have room. With `surely` the cost must fall, in doubles.
  bool dissolve(Group group, float limit, bool surely) {
    if (is_hopeless(group, limit)) return false;
    shifts_.clear();
    float change = -space_.spread(group);
    while (groups_.size(group) > 0) {
      const Slot slot = groups_.members(group).back();
      const Group to = cheapest_home(slot, group).second;
      if (to < 0) {
        change = kNever;
        break;
      }
      change += space_.joining(slot, to);
      shift(slot, to);
      if (change >= limit) break;
    }
    if (!settle(change, limit, surely)) return false;
    groups_.release(group);
    return true;
  }

  // A record and its nearest ones whose groups can spare them become a group.
  bool found(Slot slot, float limit, bool surely) {
    if (groups_.size(groups_.of(slot)) <= promises_.k()) return false;
    const Group group = groups_.create();
    if (group < 0) return false;
    shifts_.clear();
    float change = space_.leaving(slot, groups_.of(slot));
    shift(slot, group);
    const Slot* const nearest = near_.of(slot);
    bool complete = false;
    for (int i = 0; i < near_.length && !complete && groups_.has_room(group); ++i) {
      const Group from = groups_.of(nearest[i]);
      if (from == group || groups_.size(from) <= promises_.k() || !is_open(from)) continue;
      if (!promises_.count_records_alone() && !kept_.keep(from, nearest[i])) continue;
      change += space_.leaving(nearest[i], from);
      shift(nearest[i], group);
      complete = kept_.keep(group);
    }
    change = complete ? change + space_.spread(group) : kNever;
    const bool done = settle(change, limit, surely);
    if (!done) {
      groups_.release(group);
    } else if (marks_ != nullptr) {
      (*marks_)[group] = mark_;
    }
    return done;
  }

  // The groups that the last dissolution or foundation touched.
  const std::vector<Group>& touched() const { return touched_; }

 private:
  struct Shift {
    Slot slot;
    Group from, to;
  };

  // Of the candidates, the one with the least change that keeps all promises.
  Step first_allowed(Step step) {
    std::make_heap(candidates_.begin(), candidates_.end(), std::greater<>());
    for (; !candidates_.empty(); candidates_.pop_back()) {
      std::pop_heap(candidates_.begin(), candidates_.end(), std::greater<>());
      const auto [change, with] = candidates_.back();
      if (kept_.keep(step.from, step.slot, with) && kept_.keep(step.to, with, step.slot)) {
        step.change = change;
        step.with = with;
        return step;
      }
    }
    return {};
  }

  // What it costs to put a record into the cheapest of its neighbours' groups, other than its own.
  std::pair<float, Group> cheapest_home(Slot slot, Group own) {
    std::pair<float, Group> best{kNever, -1};
    const Slot* const nearest = near_.of(slot);
    Group last = own;
    for (int i = 0; i < near_.length; ++i) {
      const Group group = groups_.of(nearest[i]);
      if (group == last || group == own || !groups_.has_room(group) || !is_open(group)) continue;
      last = group;
      const float change = space_.joining(slot, group);
      if (change >= best.first) continue;
      if (!promises_.has_rules() || kept_.keep(group, kNobody, slot)) best = {change, group};
    }
    return best;
  }

  // Whether the members of a group, each looked at by itself, have no better place: then none is moved to see.
  bool is_hopeless(Group group, float limit) {
    float change = -space_.spread(group);
    for (const Slot slot : groups_.members(group)) {
      change += cheapest_home(slot, group).first;
      if (change >= limit) return true;
    }
    return false;
  }

  void shift(Slot slot, Group to) {
    const Group from = groups_.of(slot);
    shifts_.push_back({slot, from, to});
    move(slot, from, to);
  }

  void move(Slot slot, Group from, Group to) {
    groups_.remove(slot, from);
    groups_.add(slot, to);
    if (groups_.size(from) > 0) locate(from);
    locate(to);
  }

  // Keeps the shifts or takes them back.
  bool settle(float change, float limit, bool surely) {
    touched_.clear();
    for (const Shift& shift : shifts_) {
      touched_.push_back(shift.from);
      touched_.push_back(shift.to);
    }
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    bool keep = change < limit && (promises_.count_records_alone() || all_keep());
    if (keep && !surely) return true;
    const double after = keep ? touched_cost() : 0.0;
    for (auto shift = shifts_.rbegin(); shift != shifts_.rend(); ++shift) move(shift->slot, shift->to, shift->from);
    keep = keep && after < touched_cost() * (1.0 - kNoise);
    if (keep) {
      for (const Shift& shift : shifts_) move(shift.slot, shift.from, shift.to);
    }
    return keep;
  }

  bool all_keep() {
    return std::all_of(touched_.begin(), touched_.end(), [&](Group group) {
      return groups_.size(group) == 0 || kept_.keep(group);
    });
  }

  double touched_cost() {
    double sum = 0.0;
    for (const Group group : touched_) {
      if (groups_.size(group) > 0) sum += space_.cost(groups_.members(group));
    }
    return sum;
  }

  GroupTable& groups_;
  Space<D>& space_;
  Promises& promises_;
  KeptPromises kept_;
  const NeighbourLists& near_;
  std::int32_t usual_size_;
  std::vector<std::int32_t>* marks_ = nullptr;
  std::int32_t mark_ = 0;
  std::vector<float> changes_;
  std::vector<std::pair<float, Slot>> candidates_;
  std::vector<Slot> scratch_;
  std::vector<Shift> shifts_;
  std::vector<Group> touched_;
};

}  // namespace shoal::refine

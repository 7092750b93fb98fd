// Descent: improving moves alone, until no record has one left or each has had its turn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "refine/moves.hpp"

namespace shoal::refine {

template <int D>
class Descent {
 public:
  // Records around a move wait again if descent is to be `thorough`: without, each has its turn once.
  Descent(Moves<D>& moves, std::size_t records, bool thorough)
      : moves_(moves), thorough_(thorough), waits_(records, 0) {}

  void add(Slot slot) {
    if (waits_[slot] != 0) return;
    waits_[slot] = 1;
    queue_.push_back(slot);
  }

  // Settles all records that wait. `tick` may throw; the queue is then as good as empty.
  template <class Tick>
  void run(const Tick& tick) {
    while (next_ < queue_.size()) {
      const Slot slot = queue_[next_++];
      waits_[slot] = 0;
      while (improve(slot)) {
      }
      if (next_ >= kLong && 2 * next_ > queue_.size()) {
        queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(next_));
        next_ = 0;
      }
      tick();
    }
    queue_.clear();
    next_ = 0;
  }

  // Dissolves and founds groups among the records [begin, end) where that pays; says whether anything did.
  template <class Tick>
  bool restructure(Slot begin, Slot end, const Tick& tick) {
    GroupTable& groups = moves_.groups();
    bool changed = false;
    for (Slot slot = begin; slot < end; ++slot) {
      const Group group = groups.of(slot);
      const bool is_first = groups.members(group).front() == slot;
      if ((is_first && moves_.dissolve(group, 0.0F, true)) || moves_.found(slot, 0.0F, true)) {
        changed = true;
        for (const Group touched : moves_.touched()) add_members(touched);
      }
      tick();
    }
    return changed;
  }

 private:
  static constexpr std::size_t kLong = std::size_t{1} << 16;

  void add_members(Group group) {
    for (const Slot slot : moves_.groups().members(group)) add(slot);
  }

  // The first step into one of its neighbours' groups that pays, nearest first.
  bool improve(Slot slot) {
    const GroupTable& groups = moves_.groups();
    const NeighbourLists& near = moves_.near();
    const Group own = groups.of(slot);
    tried_.clear();
    for (int i = 0; i < near.length; ++i) {
      const Group other = groups.of(near.of(slot)[i]);
      if (other == own || !moves_.is_open(other)) continue;
      if (std::find(tried_.begin(), tried_.end(), other) != tried_.end()) continue;
      tried_.push_back(other);
      const Step step = moves_.into(slot, other, 0.0F);
      if (step.slot == kNobody || !moves_.pays(step)) continue;
      moves_.take(step);
      if (thorough_) {
        add_members(step.from);
        add_members(step.to);
      }
      return true;
    }
    return false;
  }

  Moves<D>& moves_;
  bool thorough_;
  std::vector<std::uint8_t> waits_;
  std::vector<Slot> queue_;
  std::size_t next_ = 0;
  std::vector<Group> tried_;
};

}  // namespace shoal::refine

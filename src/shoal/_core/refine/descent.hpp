// Descent: improving moves alone, until no record has one left.
#pragma once

#include <cstdint>
#include <vector>

#include "refine/moves.hpp"

namespace shoal::refine {

template <int D>
class Descent {
 public:
  Descent(Moves<D>& moves, std::size_t records) : moves_(moves), waits_(records, 0) {}

  void add(Slot slot) {
    if (waits_[slot] != 0) return;
    waits_[slot] = 1;
    queue_.push_back(slot);
  }

  // Settles all records that wait, and those around every move. `tick` may throw; the queue is then as good as empty.
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

  bool improve(Slot slot) {
    const GroupTable& groups = moves_.groups();
    const NeighbourLists& near = moves_.near();
    const Group own = groups.of(slot);
    Step best;
    best.change = 0.0F;
    Group last = own;
    for (int i = 0; i < near.length; ++i) {
      const Slot neighbour = near.of(slot)[i];
      const Group other = groups.of(neighbour);
      if (other == own || !moves_.is_open(other)) continue;
      if (other != last) consider(moves_.into(slot, other, best.change), best);
      last = other;
      consider(moves_.into(neighbour, own, best.change), best);
    }
    if (best.slot == kNobody || !moves_.pays(best)) return false;
    moves_.take(best);
    add_members(best.from);
    add_members(best.to);
    return true;
  }

  static void consider(const Step& step, Step& best) {
    if (step.change < best.change) best = step;
  }

  Moves<D>& moves_;
  std::vector<std::uint8_t> waits_;
  std::vector<Slot> queue_;
  std::size_t next_ = 0;
};

}  // namespace shoal::refine

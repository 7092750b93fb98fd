// Which records are in which group, both ways, as records move.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "refine/neighbour_lists.hpp"

namespace shoal::refine {

using Group = std::int32_t;

class GroupTable {
 public:
  // Every group has room for `capacity` records, those that start larger for as many as they have. `most` groups at a
  // time.
  GroupTable(std::span<const Group> group_of, std::int64_t count, std::int32_t capacity, std::int64_t most)
      : capacity_(capacity), group_of_(group_of.size()), sizes_(static_cast<std::size_t>(std::max(count, most)), 0) {
    std::vector<std::int32_t> start(sizes_.size(), 0);
    for (const Group group : group_of) ++start[group];
    std::int64_t room = static_cast<std::int64_t>(sizes_.size()) * capacity;
    widest_ = capacity;
    if (*std::max_element(start.begin(), start.end()) > capacity) {
      starts_.reserve(sizes_.size() + 1);
      room = 0;
      for (const std::int32_t size : start) {
        starts_.push_back(room);
        room += std::max(size, capacity);
        widest_ = std::max(widest_, size);
      }
      starts_.push_back(room);
    }
    members_.resize(static_cast<std::size_t>(room));
    for (std::size_t slot = 0; slot < group_of.size(); ++slot) add(static_cast<Slot>(slot), group_of[slot]);
    for (auto group = static_cast<Group>(sizes_.size()) - 1; group >= 0; --group) {
      if (sizes_[group] == 0) free_.push_back(group);
    }
  }

  // Numbers that groups have or may get.
  Group end() const { return static_cast<Group>(sizes_.size()); }
  std::size_t room() const { return members_.size(); }  // for members of all groups together
  // Where the room of a group begins.
  std::int64_t begin(Group group) const {
    return starts_.empty() ? static_cast<std::int64_t>(group) * capacity_ : starts_[group];
  }
  std::int32_t widest() const { return widest_; }  // the most records that any group has room for
  Group of(Slot slot) const { return group_of_[slot]; }
  std::span<const Group> all() const { return group_of_; }
  std::int32_t size(Group group) const { return sizes_[group]; }
  bool has_room(Group group) const { return sizes_[group] < capacity(group); }
  std::span<const Slot> members(Group group) const {
    return {members_.data() + begin(group), static_cast<std::size_t>(sizes_[group])};
  }

  void add(Slot slot, Group group) {
    members_[begin(group) + sizes_[group]++] = slot;
    group_of_[slot] = group;
  }

  void remove(Slot slot, Group group) {
    Slot* const first = members_.data() + begin(group);
    Slot* place = first;
    while (*place != slot) ++place;
    *place = first[--sizes_[group]];
  }

  // An empty group, or -1. Numbers in the list may be in use again (see restore).
  Group create() {
    while (!free_.empty()) {
      const Group group = free_.back();
      free_.pop_back();
      if (sizes_[group] == 0) return group;
    }
    return -1;
  }
  void release(Group group) { free_.push_back(group); }  // an empty one
  void clear(Group group) { sizes_[group] = 0; }

 private:
  std::int64_t capacity(Group group) const {
    return starts_.empty() ? capacity_ : starts_[group + 1] - starts_[group];
  }

  std::int32_t capacity_;
  std::int32_t widest_;
  std::vector<Group> group_of_;
  std::vector<std::int32_t> sizes_;
  std::vector<std::int64_t> starts_;  // of each group's members; empty where all have the same room
  std::vector<Slot> members_;
  std::vector<Group> free_;
};

}  // namespace shoal::refine

// Groups from lists of near records alone, in the way of MDAV: from the outside in.
//
// The record farthest from the average that is still free becomes a group with the nearest of its list that are free,
// if there are enough of them. Records without are left to the end, and follow each other along the order of slots.
// MDAV looks among all records instead of a list, and from both ends: it loses little less, and takes far longer where
// attributes are many.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "refine/neighbour_lists.hpp"
#include "refine/space.hpp"
#include "refine/start.hpp"
#include "search/records.hpp"

namespace shoal::refine {

// Slots, farthest from the average first. Codes, which have none, do not count.
inline std::vector<Slot> from_outside(const Records& records, std::span<const Row> rows, const Frame& frame) {
  std::vector<double> away(rows.size(), 0.0);
  for (int j = 0; j < records.number_count(); ++j) {
    double average = 0.0;
    if (j < records.coord_count) {
      average = frame.centre[j];
    } else {
      for (const Row row : rows) average += records.number(row, j) / static_cast<double>(rows.size());
    }
    for (std::size_t slot = 0; slot < rows.size(); ++slot) {
      const double apart = (records.number(rows[slot], j) - average) * frame.scale;
      away[slot] += apart * apart;
    }
  }
  std::vector<Slot> order(rows.size());
  std::iota(order.begin(), order.end(), Slot{0});
  std::sort(order.begin(), order.end(), [&](Slot a, Slot b) {
    return away[a] != away[b] ? away[a] > away[b] : rows[a] < rows[b];
  });
  return order;
}

// Groups of k records, and one of fewer than 2k; there must be k records.
inline Start outside_in(const Records& records, const NeighbourLists& near, const Frame& frame, std::int32_t k) {
  constexpr Group kFree = -1;
  Start start{std::vector<Group>(near.rows.size(), kFree)};
  std::vector<Slot> chosen;
  for (const Slot slot : from_outside(records, near.rows, frame)) {
    if (start.group_of[slot] != kFree) continue;
    chosen.assign(1, slot);
    for (int i = 0; i < near.length && static_cast<std::int32_t>(chosen.size()) < k; ++i) {
      const Slot other = near.of(slot)[i];
      if (other != slot && start.group_of[other] == kFree) chosen.push_back(other);
    }
    if (static_cast<std::int32_t>(chosen.size()) < k) continue;
    for (const Slot each : chosen) start.group_of[each] = static_cast<Group>(start.count);
    ++start.count;
  }
  std::vector<Slot> rest;
  for (std::size_t slot = 0; slot < near.rows.size(); ++slot) {
    if (start.group_of[slot] == kFree) rest.push_back(static_cast<Slot>(slot));
  }
  const auto least = static_cast<std::size_t>(k);
  for (std::size_t begin = 0; begin < rest.size();) {
    const std::size_t left = rest.size() - begin;
    if (left >= least) ++start.count;  // fewer join the group founded last
    for (const std::size_t end = left < 2 * least ? rest.size() : begin + least; begin < end; ++begin) {
      start.group_of[rest[begin]] = static_cast<Group>(start.count - 1);
    }
  }
  return start;
}

}  // namespace shoal::refine

// The groups that refinement starts from, by slot.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "refine/group_table.hpp"
#include "refine/promises.hpp"

namespace shoal::refine {

struct Start {
  std::vector<Group> group_of;  // by slot
  std::int64_t count = 0;
};

// Takes labels by row. Where no rule speaks against it, groups of 2k or more are cut along the order of slots, in which
// near records follow each other, into groups that just keep their promises.
inline Start start_from(std::span<const std::int64_t> labels, std::int64_t count, std::span<const Row> rows,
                        Promises& promises) {
  Start start{std::vector<Group>(rows.size()), count};
  std::vector<std::int32_t> sizes(static_cast<std::size_t>(count), 0);
  for (const std::int64_t label : labels) ++sizes[label];
  std::map<std::int64_t, std::vector<Slot>> large;
  for (std::size_t slot = 0; slot < rows.size(); ++slot) {
    const std::int64_t label = labels[rows[slot]];
    start.group_of[slot] = static_cast<Group>(label);
    if (!promises.has_rules() && sizes[label] >= 2 * promises.k()) large[label].push_back(static_cast<Slot>(slot));
  }
  for (const auto& each : large) {
    const std::vector<Slot>& slots = each.second;
    std::size_t begin = 0;
    std::size_t end = 0;
    const auto cut = [&](std::size_t first, std::size_t last) {
      return std::span(slots).subspan(first, last - first);
    };
    while (begin < slots.size()) {
      end = std::min(begin + static_cast<std::size_t>(promises.k()), slots.size());
      while (end < slots.size() && !promises.keep(cut(begin, end))) ++end;
      // What is left must be a group of its own, or it stays with this one.
      if (!promises.keep(cut(end, slots.size()))) end = slots.size();
      if (begin > 0) {
        for (std::size_t i = begin; i < end; ++i) start.group_of[slots[i]] = static_cast<Group>(start.count);
        ++start.count;
      }
      begin = end;
    }
  }
  return start;
}

// The groups by row.
inline std::vector<std::int64_t> by_row(std::span<const Group> group_of, std::span<const Row> rows) {
  std::vector<std::int64_t> labels(rows.size());
  for (std::size_t slot = 0; slot < rows.size(); ++slot) labels[rows[slot]] = group_of[slot];
  return labels;
}

}  // namespace shoal::refine

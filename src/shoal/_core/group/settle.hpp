// Records that are in no group when fewer than k subjects are left: each goes to the group with the nearest average.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "group/centroids.hpp"
#include "group/groups.hpp"
#include "search/kd_tree.hpp"
#include "search/records.hpp"

namespace shoal {

inline constexpr std::int64_t kNone = -1;  // the label of a record without a group

// The averages are those of the `formed` groups as they are; at equal distance the lower number wins.
inline void settle_rest(const Records& records, std::int64_t formed, std::vector<std::int64_t>& labels) {
  std::vector<Row> rest;
  for (std::int64_t i = 0; i < records.size; ++i) {
    if (labels[i] == kNone) rest.push_back(static_cast<Row>(i));
  }
  if (rest.empty()) return;
  for (const Row row : rest) labels[row] = formed;  // a group of their own, that nobody joins
  const Centroids centroids(records, Groups(labels, formed + 1));
  const Records averages = centroids.view();
  KdTree tree(averages);
  tree.remove(static_cast<Row>(formed));
  Place place(records);
  for (const Row row : rest) {
    place.set(records, row);
    Nearest nearest(1);
    tree.nearest(place, nearest);
    labels[row] = nearest.first().row;
  }
}

}  // namespace shoal

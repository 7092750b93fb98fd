// The nearest records of each record: where moves look for a better group.
#pragma once

#include <cstdint>
#include <vector>

#include "progress.hpp"
#include "search/lines.hpp"
#include "search/records.hpp"

namespace shoal::refine {

// A record by its place in the order of the tree: near places are near in space, so that a walk over slots stays in the
// cache.
using Slot = std::int32_t;

struct NeighbourLists {
  std::vector<Row> rows;       // of each slot
  std::vector<float> spacing;  // of each slot: squared distance to its nearest ones, averaged, in the unit given
  Lines<Slot> lists;           // of each slot, nearest first; its own slot where there are no more
  int length = 0;

  const Slot* of(Slot slot) const { return lists.data() + static_cast<std::int64_t>(slot) * length; }
};

struct ListOptions {
  int length;
  // Below 1, near ones may be missed: beyond this share of a squared distance no box of the tree is looked into. With 0
  // there is no search at all: lists are joined (joined_lists.hpp).
  double reach;
  int spacing_over;  // how many nearest ones the spacing is averaged over
  double unit;       // of squared distances
};

// Lists of some others. Records equal to many others have some of these in their list, not the same for all, and
// one of each nearest place besides.
NeighbourLists find_neighbours(const Records& records, const ListOptions& options, Progress& progress);

}  // namespace shoal::refine

// Records that agree in every attribute, chained so that an index need hold only the first of them.
//
// At equal distance the lowest row goes first, so of equal records an index is only ever asked for the lowest left. It
// holds that one; when it leaves, the next in its chain takes its place.
#pragma once

#include <span>
#include <vector>

#include "search/records.hpp"

namespace shoal {

struct Duplicates {
  std::vector<Row> fronts;  // the lowest row of each set of equal records
  std::vector<Row> next;    // the next row equal to a row, or -1; empty if no chains were made

  const Row* chain() const { return next.empty() ? nullptr : next.data(); }

  // All rows of the chains that begin with the given ones.
  std::vector<Row> expand(std::span<const Row> heads) const;
};

// Chains equal records if a sample says that it is worth while; otherwise every row is a front.
Duplicates find_duplicates(const Records& records);

}  // namespace shoal

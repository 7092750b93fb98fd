// Where ties are broken: of records equally near or equally far the one of the lowest row comes first, whatever order a
// search meets them in. Every search of tables compares by these two; the slow twins do so by a stable sort.
#pragma once

#include "search/records.hpp"

namespace shoal {

struct Neighbour {
  double distance;  // squared
  Row row;

  bool operator<(const Neighbour& other) const {
    return distance != other.distance ? distance < other.distance : row < other.row;
  }
};

// The farthest found so far: greatest distance, then lowest row.
struct Farthest {
  double distance = -1.0;
  Row row = -1;

  // Whether a record at this distance, with this row or a higher one, would be farther.
  bool open_to(double candidate, Row candidate_row) const {
    return candidate > distance || (candidate == distance && candidate_row < row);
  }

  void offer(double candidate, Row candidate_row) {
    if (open_to(candidate, candidate_row)) {
      distance = candidate;
      row = candidate_row;
    }
  }
};

}  // namespace shoal

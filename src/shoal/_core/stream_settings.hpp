// What a stream is anonymized by; the Python side checked it.
#pragma once

#include <cstdint>
#include <vector>

#include "stream_rows.hpp"

namespace shoal::stream {

enum class Operator : int { mean = 0, median = 1, convex_median = 2, mode = 3 };

struct Settings {
  std::int64_t k = 2;
  std::int64_t max_delay = 1;
  double position_weight = 0.0;
  std::int64_t sweeps = 2;  // of greedy swaps, at most
  bool subjects = false;    // tuples name their subjects; otherwise each is its own

  Axes axes;
  std::vector<double> coord_weights;  // multiplies a difference: the square root of the attribute's weight
  std::vector<double> lows, highs;    // given bounds of the coordinates; NaN where they run
  std::vector<int> coord_operators;
  std::vector<double> rank_steps;         // between neighbouring ranks, weighted
  std::vector<double> rank_unit_steps;    // the same without the weight, for the measures
  std::vector<std::int32_t> rank_levels;
  std::vector<int> rank_operators;
  std::vector<double> code_weights;
  bool impute = false;  // cells may be missing

  std::vector<double> t;                   // per confidential attribute: the largest distance of a group
  std::vector<bool> confidential_nominal;  // likewise: equal distance instead of ordered
  bool merge = false;                      // a tuple whose group cannot be t-close joins a released class, if one fits

  std::int64_t leaf = 0;  // rows of a leaf of the index; 0 chooses. It never changes what is released.

  std::int64_t window() const { return max_delay + 1; }
};

}  // namespace shoal::stream

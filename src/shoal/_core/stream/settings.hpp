// What a stream is anonymized by; the Python side checked it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "stream/rows.hpp"

namespace shoal::stream {

// What stands for a group in one attribute.
enum class Operator : std::int8_t { mean, median, convex_median, mode };

struct Settings {
  std::int64_t k = 2;
  std::int64_t max_delay = 1;
  double position_weight = 0.0;
  std::int64_t sweeps = 2;  // of greedy swaps, at most
  bool subjects = false;    // tuples name their subjects; otherwise each is its own

  std::vector<double> coord_weights;  // multiplies a difference: the square root of the attribute's weight
  std::vector<double> lows, highs;    // given bounds of the coordinates; NaN where they run
  std::vector<Operator> coord_operators;
  std::vector<double> rank_steps;       // between neighbouring ranks, weighted
  std::vector<double> rank_unit_steps;  // the same without the weight, for the measures
  std::vector<std::int32_t> rank_levels;
  std::vector<Operator> rank_operators;
  std::vector<double> code_weights;
  bool impute = false;  // cells may be missing

  // Per confidential attribute, the largest distance of a group: numerator and denominator (close/threshold.hpp).
  std::vector<std::pair<std::int64_t, std::int64_t>> t;
  std::vector<bool> confidential_nominal;  // likewise: equal distance instead of ordered
  bool merge = false;                      // a tuple whose group cannot be t-close joins a released class, if one fits

  std::int64_t seed = 0;  // of the order inside a group

  std::int64_t leaf = 0;  // rows of a leaf of the index; 0 chooses. It never changes what is released.

  std::int64_t window() const { return max_delay + 1; }
  Axes axes() const {
    return {static_cast<int>(coord_weights.size()), static_cast<int>(rank_steps.size()),
            static_cast<int>(code_weights.size())};
  }

  // Calls visit(name, member) for every field: the one list by which Python fills and reads them.
  template <class Visit>
  static void each_field(Visit visit) {
    visit("k", &Settings::k);
    visit("max_delay", &Settings::max_delay);
    visit("position_weight", &Settings::position_weight);
    visit("sweeps", &Settings::sweeps);
    visit("subjects", &Settings::subjects);
    visit("coord_weights", &Settings::coord_weights);
    visit("lows", &Settings::lows);
    visit("highs", &Settings::highs);
    visit("coord_operators", &Settings::coord_operators);
    visit("rank_steps", &Settings::rank_steps);
    visit("rank_unit_steps", &Settings::rank_unit_steps);
    visit("rank_levels", &Settings::rank_levels);
    visit("rank_operators", &Settings::rank_operators);
    visit("code_weights", &Settings::code_weights);
    visit("impute", &Settings::impute);
    visit("t", &Settings::t);
    visit("confidential_nominal", &Settings::confidential_nominal);
    visit("merge", &Settings::merge);
    visit("seed", &Settings::seed);
    visit("leaf", &Settings::leaf);
  }
};

}  // namespace shoal::stream

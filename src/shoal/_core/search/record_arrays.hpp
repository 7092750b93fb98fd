// The arrays of shoal.points.Points, held for as long as kernels read them through a Records view.
//
// Lifetime: the members own a reference to NumPy's memory, so a view is good as long as its RecordArrays (or a copy of
// it, which shares the memory) lives, and Python must not write to the arrays meanwhile. A bound function has its
// arguments until it returns, also while the GIL is released; a bound class that keeps a view keeps a copy of the
// RecordArrays too.
#pragma once

#include "bindings.hpp"
#include "search/records.hpp"

namespace shoal {

struct RecordArrays {
  Matrix<double> coords;
  Matrix<std::int32_t> ranks;
  Vector<double> rank_steps;
  Vector<std::int32_t> rank_levels;
  Vector<bool> rank_convex;
  Matrix<std::int32_t> codes;
  Vector<double> code_weights;
  Vector<std::int32_t> code_levels;
  Vector<std::int32_t> subjects;

  Records view() const {
    return {.size = static_cast<std::int64_t>(coords.shape(0)),
            .coords = coords.data(),
            .coord_count = static_cast<int>(coords.shape(1)),
            .ranks = ranks.data(),
            .rank_count = static_cast<int>(ranks.shape(1)),
            .rank_steps = as_span(rank_steps),
            .rank_levels = as_span(rank_levels),
            .rank_convex = as_span(rank_convex),
            .codes = codes.data(),
            .code_count = static_cast<int>(codes.shape(1)),
            .code_weights = as_span(code_weights),
            .code_levels = as_span(code_levels),
            .subjects = as_span(subjects)};
  }
};

}  // namespace shoal

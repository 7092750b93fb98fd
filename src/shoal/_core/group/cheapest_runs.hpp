// Cutting a table, whose rows are in order, into runs of at least k subjects with the least sum of squared errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "group/run_limits.hpp"
#include "tuning.hpp"

namespace shoal {

enum class Search {
  every,   // every i: any table
  scan,    // from the best i of j − 1 on: one increasing column
  divide,  // the middle j first: one increasing column
};

// The faster search of one increasing column, for so many starts of a run.
inline Search search_for(std::size_t starts) { return starts < tuning::kDivideFrom ? Search::scan : Search::divide; }

// The number of its run for each row, where order[i] is the row that stands at place i.
template <class Index>
std::vector<std::int64_t> labels_of_runs(const Index* order, const std::vector<std::size_t>& ends) {
  std::vector<std::int64_t> labels(ends.back());
  std::size_t place = 0;
  for (std::size_t run = 0; run < ends.size(); ++run) {
    for (; place < ends[run]; ++place) labels[order[place]] = static_cast<std::int64_t>(run);
  }
  return labels;
}

// Reads as many finite values of a column as there is room for, from a row on.
using ReadColumn = std::function<void(std::size_t column, std::size_t row, std::span<double> values)>;

// The row after the last of each run, increasing; the last is the number of rows. Equal costs: the last run is as short as
// it can be, then the run before it, and so on. tick(row) is called now and then, and may throw.
//
// Index: an unsigned integer of 32 or 64 bits that holds the number of rows.
template <class Index>
std::vector<std::size_t> cheapest_runs(const ReadColumn& read, std::size_t width, const RunLimits<Index>& limits,
                                       Search search, const std::function<void(std::size_t)>& tick);

}  // namespace shoal

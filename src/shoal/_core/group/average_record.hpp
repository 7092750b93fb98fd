// The average record of what remains: mean, median or convex median, mode, kept up to date as records leave.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "exact/exact_sum.hpp"
#include "group/rank_centre.hpp"
#include "search/records.hpp"

namespace shoal {

// Frequencies of the categories of one nominal attribute.
class CodeCounts {
 public:
  explicit CodeCounts(int levels) : counts_(levels, 0) {}

  void add(std::int32_t code) {
    ++counts_[code];
    heap_.clear();
  }
  void subtract(std::int32_t code) { --counts_[code]; }

  // Most frequent, then first in category order. Counts only fall between additions, so an outdated entry on top of
  // the heap stands too high: put it where it belongs and look again.
  std::int32_t mode() {
    if (heap_.empty()) {
      for (std::size_t i = 0; i < counts_.size(); ++i) heap_.emplace_back(counts_[i], -static_cast<std::int64_t>(i));
      std::make_heap(heap_.begin(), heap_.end());
    }
    while (true) {
      const auto code = static_cast<std::int32_t>(-heap_.front().second);
      if (heap_.front().first == counts_[code]) return code;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back().first = counts_[code];
      std::push_heap(heap_.begin(), heap_.end());
    }
  }

 private:
  std::vector<std::int64_t> counts_;
  std::vector<std::pair<std::int64_t, std::int64_t>> heap_;
};

// Lifetime: keeps a reference to the records, which must outlive it, unchanged.
class AverageRecord {
 public:
  explicit AverageRecord(const Records& records) : records_(records), sums_(records.coord_count) {
    for (int j = 0; j < records.rank_count; ++j) ranks_.emplace_back(records.rank_levels[j]);
    for (int j = 0; j < records.code_count; ++j) codes_.emplace_back(records.code_levels[j]);
  }

  void add_all() {
    // Row by row: an addition waits for the one before it in the same column, not for those in others.
    for (std::int64_t i = 0; i < records_.size; ++i) {
      for (int j = 0; j < records_.coord_count; ++j) sums_[j].add(records_.coords[j * records_.size + i]);
    }
    for (int j = 0; j < records_.rank_count; ++j) {
      for (std::int64_t i = 0; i < records_.size; ++i) ranks_[j].add(records_.rank(i, j));
    }
    for (int j = 0; j < records_.code_count; ++j) {
      for (std::int64_t i = 0; i < records_.size; ++i) codes_[j].add(records_.code(i, j));
    }
    count_ += records_.size;
  }

  void add(std::int64_t row) {
    for (int j = 0; j < records_.coord_count; ++j) sums_[j].add(records_.number(row, j));
    for (int j = 0; j < records_.rank_count; ++j) ranks_[j].add(records_.rank(row, j));
    for (int j = 0; j < records_.code_count; ++j) codes_[j].add(records_.code(row, j));
    ++count_;
  }

  void subtract(std::int64_t row) {
    for (int j = 0; j < records_.coord_count; ++j) sums_[j].subtract(records_.number(row, j));
    subtract_categories(row);
  }

  // The same for a row whose place is at hand, which spares a walk through all columns.
  void subtract(std::int64_t row, const Place& place) {
    for (int j = 0; j < records_.coord_count; ++j) sums_[j].subtract(place.numbers[j]);
    subtract_categories(row);
  }

  // Where the average record stands now.
  void locate(Place& place) {
    for (int j = 0; j < records_.coord_count; ++j) place.numbers[j] = sums_[j].rounded() / static_cast<double>(count_);
    for (int j = 0; j < records_.rank_count; ++j) {
      const std::int32_t rank = records_.rank_convex[j] ? ranks_[j].convex_median() : ranks_[j].median();
      place.numbers[records_.coord_count + j] = rank * records_.rank_steps[j];
    }
    for (int j = 0; j < records_.code_count; ++j) place.codes[j] = codes_[j].mode();
  }

 private:
  void subtract_categories(std::int64_t row) {
    for (int j = 0; j < records_.rank_count; ++j) ranks_[j].subtract(records_.rank(row, j));
    for (int j = 0; j < records_.code_count; ++j) codes_[j].subtract(records_.code(row, j));
    --count_;
  }

  const Records& records_;
  std::vector<ExactSum> sums_;
  std::vector<RankHistogram> ranks_;
  std::vector<CodeCounts> codes_;
  std::int64_t count_ = 0;
};

}  // namespace shoal

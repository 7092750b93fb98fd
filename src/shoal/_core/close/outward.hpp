// The records that remain, outward from one of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/kd_tree.hpp"
#include "search/neighbours.hpp"
#include "search/records.hpp"

namespace shoal {

// The records of a tree by increasing distance from one of them, in batches that grow: most groups need few.
//
// Lifetime: keeps references to the records and the tree, which must outlive it.
class Outward {
 public:
  Outward(const Records& records, const KdTree& tree)
      : records_(records), tree_(tree), place_(records), width_(records.number_count()) {
    numbers_.reserve(records.size * width_);
    for (std::int64_t row = 0; row < records.size; ++row) {
      for (int j = 0; j < width_; ++j) numbers_.push_back(records.number(row, j));
    }
  }

  // Stands at a record and finds its `first` nearest.
  void start(Row row, std::int64_t first) {
    row_ = row;
    place_.set(records_, row);
    next_ = 0;
    fetched_ = false;
    search(first);
    batch_ = std::max<std::int64_t>(4 * first, 64);
  }

  // The next record other than the first; row -1 when there is none.
  Neighbour next() {
    if (at_end()) fetch();
    return at_end() ? Neighbour{0.0, -1} : found_[next_++];
  }

  // Whether the next record takes another search, and how many records it would be for.
  bool at_end() const { return next_ == found_.size(); }
  std::int64_t next_batch() const { return batch_; }
  bool fetched() const { return fetched_; }  // more than the first

  const Place& place() const { return place_; }

  // Distance of a record from the one stood at. As squared_distance in records.hpp, for records here and there: one after
  // another in memory, not column by column.
  double measured(Row row) const {
    const double* numbers = numbers_.data() + static_cast<std::int64_t>(row) * width_;
    double sum = 0.0;
    for (int j = 0; j < width_; ++j) {
      const double difference = place_.numbers[j] - numbers[j];
      sum += difference * difference;
    }
    for (int j = 0; j < records_.code_count; ++j) {
      if (records_.code(row, j) != place_.codes[j]) sum += records_.code_weights[j];
    }
    return sum;
  }

 private:
  void fetch() {
    fetched_ = true;
    const std::int64_t others = tree_.size() - 1;
    if (static_cast<std::int64_t>(found_.size()) == others) return;
    if (batch_ > others / 4) {
      found_.clear();
      tree_.for_each([&](Row row) {
        if (row != row_) found_.push_back({measured(row), row});
      });
      std::sort(found_.begin(), found_.end());
    } else {
      search(batch_);
      batch_ *= 4;
    }
  }

  void search(std::int64_t count) {
    nearest_.reset(static_cast<std::size_t>(count), row_);
    tree_.nearest(place_, nearest_, row_);
    found_ = nearest_.sorted();
  }

  const Records& records_;
  const KdTree& tree_;
  Place place_;
  int width_;
  std::vector<double> numbers_;
  Row row_ = -1;
  std::size_t next_ = 0;
  bool fetched_ = false;
  std::int64_t batch_ = 0;
  std::vector<Neighbour> found_;
  Nearest nearest_;
};

}  // namespace shoal

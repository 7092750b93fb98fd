// The records that remain, searched through a k-d tree: the questions of scan_index.hpp, with the same answers.
#pragma once

#include <cstdint>
#include <vector>

#include "kd_tree.hpp"

namespace shoal {

class TreeIndex {
 public:
  explicit TreeIndex(const Records& records) : records_(records), tree_(records), last_(records) {}

  std::int64_t size() const { return tree_.size(); }
  Row farthest_from(const Place& place) const { return tree_.farthest(place).row; }

  // Takes `row` and its k-1 nearest out of the index into `group`.
  void take_group(Row row, std::size_t k, std::vector<Row>& group) {
    last_.set(records_, row);
    nearest_.reset(k - 1, row);
    tree_.nearest(last_, nearest_, row);
    group.assign(1, row);
    for (const auto& neighbour : nearest_.found()) group.push_back(neighbour.row);
    tree_.remove(group);
  }

  // The record farthest from the one given to the last take_group.
  Row farthest_from_last() const { return tree_.farthest(last_).row; }

  template <class Visit>
  void for_each(Visit visit) const {
    tree_.for_each(visit);
  }

 private:
  const Records& records_;
  KdTree tree_;
  Place last_;
  Nearest nearest_;
};

}  // namespace shoal

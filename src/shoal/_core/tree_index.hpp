// The records that remain, searched through a k-d tree: the questions of scan_index.hpp, with the same answers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kd_tree.hpp"

namespace shoal {

class TreeIndex {
 public:
  explicit TreeIndex(const Records& records) : records_(records), tree_(records), place_(records) {}

  std::int64_t size() const { return tree_.size(); }
  Row farthest_from(const Place& place) const { return tree_.farthest(place).row; }

  // Finds `row` and its k-1 nearest. The farthest is a question of its own here.
  void gather(Row row, std::size_t k, std::vector<Row>& group, bool) {
    tree_.locate(row, place_);
    nearest_.reset(k - 1, row);
    tree_.nearest(place_, nearest_, row);
    group.assign(1, row);
    for (const auto& neighbour : nearest_.found()) group.push_back(neighbour.row);
  }

  // The record farthest from the one given to gather.
  Row farthest_from_last() const { return tree_.farthest(place_).row; }

  // The nearest record other than `row`, which itself may be in the index or not; at infinity if there is none.
  Neighbour nearest(Row row) {
    place_.set(records_, row);
    nearest_.reset(1, row);
    tree_.nearest(place_, nearest_, row);
    return nearest_.first();
  }

  // The place of a record of the index.
  void locate(Row row, Place& place) const { tree_.locate(row, place); }

  void remove(std::span<const Row> rows) { tree_.remove(rows); }
  void remove(Row row) { tree_.remove(row); }

  template <class Visit>
  void for_each(Visit visit) const {
    tree_.for_each(visit);
  }

 private:
  const Records& records_;
  KdTree tree_;
  Place place_;
  Nearest nearest_;
};

}  // namespace shoal

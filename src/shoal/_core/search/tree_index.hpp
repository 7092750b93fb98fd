// The records that remain, searched through a k-d tree: best in few dimensions, or where records lie in clusters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/kd_tree.hpp"
#include "search/record_index.hpp"

namespace shoal {

class TreeIndex final : public FrontIndex {
 public:
  TreeIndex(const Records& records, Duplicates& duplicates)
      : FrontIndex(records, duplicates, duplicates.size()), tree_(records, duplicates.fronts()) {}

  // Nodes and leaves looked at so far.
  std::int64_t visits() const { return visits_; }

  // Records in the tree, equal ones counted once.
  std::int64_t fronts_left() const { return tree_.size(); }

  Row farthest_from(const Place& place) override { return tree_.farthest(place, &visits_).row; }

  void gather(Row row, std::size_t k, std::vector<Row>& group, bool /*farthest_too*/) override {
    tree_.locate(row, place_);
    if (by_subject()) {
      nearest_subjects_.reset(k - 1, row);
      visits_ += tree_.nearest(place_, nearest_subjects_, row);
    } else {
      nearest_.reset(k - 1, row);
      visits_ += tree_.nearest(place_, nearest_, row);
    }
    take_group(row, group);
    tree_.fetch(group);
  }

  Row farthest_from_last() override { return tree_.farthest(place_, &visits_).row; }

  Neighbour nearest(Row row) override {
    place_.set(records_, row);
    nearest_.reset(1, row);
    visits_ += tree_.nearest(place_, nearest_, row);
    return nearest_.first();
  }

  void locate(Row row, Place& place) const override {
    if (tree_.holds(row)) {
      tree_.locate(row, place);
    } else {
      place.set(records_, row);
    }
  }

  std::vector<Row> fronts() const override {
    std::vector<Row> rows;
    rows.reserve(tree_.size());
    tree_.for_each([&](Row row) { rows.push_back(row); });
    return rows;
  }

 private:
  void erase(std::span<const Row> rows) override { tree_.remove(rows); }
  void replace(Row row, Row heir) override { tree_.replace(row, heir); }

  KdTree tree_;
  std::int64_t visits_ = 0;
};

}  // namespace shoal

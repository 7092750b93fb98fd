// Records near a record when each has a shift of its own: least pair(i, j) + shift[j] first.
//
// A shift is one more coordinate: with z_j² = shift[j] − base, base the least shift, pair(i, j) + shift[j] − base is the
// squared distance from the place of i with z = 0. So the k-d tree of all other searches finds them.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "refine/bound_cost.hpp"
#include "search/kd_tree.hpp"
#include "search/records.hpp"

namespace shoal {

// Lifetime: records and costs must outlive the search.
class BoundSearch {
 public:
  // Over `rows` alone; shifts of other rows are not read.
  BoundSearch(const Records& records, const BoundCost& cost, std::span<const double> shifts, std::vector<Row> rows)
      : records_(records),
        base_(least(shifts, rows)),
        coords_(records.coords, records.coords + records.size * records.coord_count) {
    coords_.resize(coords_.size() + static_cast<std::size_t>(records.size), 0.0);
    double* heights = coords_.data() + records.size * records.coord_count;
    for (const Row row : rows) heights[row] = std::sqrt(shifts[row] - base_);
    shifted_ = records;
    shifted_.coords = coords_.data();
    shifted_.coord_count += 1;
    shifted_.code_weights = cost.pair_weights();
    tree_ = std::make_unique<KdTree>(shifted_, std::move(rows));
  }
  BoundSearch(const BoundSearch&) = delete;
  BoundSearch& operator=(const BoundSearch&) = delete;

  // What is added to distances offered to a collector to make them pair(i, j) + shift[j].
  double base() const { return base_; }

  // Offers records near `row`, one of the rows, to a collector (neighbours.hpp), by pair(row, j) + shift[j] − base. Several threads may
  // ask at once, each with a place of its own.
  template <class Collector>
  void near(Row row, Place& place, Collector& collector) const {
    place.set(shifted_, row);
    place.numbers[records_.coord_count] = 0.0;
    tree_->nearest(place, collector, row);
  }

  Place place() const { return Place(shifted_); }

  // How much a distance may be off by rounding, at most: that of its own sum and that of the height.
  double slack(double distance) const { return (distance + std::abs(base_)) * 0x1p-40; }

 private:
  static double least(std::span<const double> shifts, std::span<const Row> rows) {
    double base = 0.0;
    for (const Row row : rows) base = std::min(base, shifts[row]);
    return base;
  }

  const Records& records_;
  double base_;
  std::vector<double> coords_;
  Records shifted_;
  std::unique_ptr<KdTree> tree_;
};

}  // namespace shoal

// The tuples in the buffer, with insertion, removal and exact nearest search.
//
// A tree of boxes whose leaves hold the rows themselves, column by column. A small buffer is one leaf: a plain scan. A
// large one splits its leaves as they fill. Boxes grow with insertions and never shrink, which keeps them valid; a
// subtree that gets lopsided is rebuilt (a scapegoat tree), and the whole tree is rebuilt once as many tuples came as
// it held, so boxes stay tight. Both cost amortised O(log² n) a tuple. What a search returns never depends on the
// shape.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "stream/rows.hpp"

namespace shoal::stream {

class Index {
 public:
  // At most `window` tuples, their positions within a span of `window`. Leaves of `leaf` rows; 0 chooses.
  Index(Axes axes, std::int64_t window, std::int64_t leaf);

  void insert(const double* row, const Scales& scales);
  void remove(Position position);
  std::int64_t size() const { return nodes_[root_].count; }

  // Offers every tuple that `accept(position)` lets through and that is near enough to be among the nearest.
  template <class Accept>
  void search(const Average& target, const Scales& scales, const Accept& accept, Nearest& nearest) const {
    if (size() > 0) visit(root_, target, scales, accept, nearest);
  }

 private:
  struct Node {
    std::int32_t parent = kNone;
    std::int32_t left = kNone;
    std::int32_t right = kNone;
    std::int32_t leaf = kNone;  // block of rows, or none for an inner node
    std::int64_t count = 0;
    std::int32_t axis = 0;
    double split = 0.0;  // where an insertion turns; boxes, not splits, guide the search
  };
  struct Home {
    std::int32_t node;
    std::int32_t offset;
  };
  static constexpr std::int32_t kNone = -1;

  double* column(std::int32_t leaf, int axis) {
    return rows_.data() + (std::int64_t{leaf} * axes_.size() + axis) * capacity_;
  }
  const double* column(std::int32_t leaf, int axis) const {
    return rows_.data() + (std::int64_t{leaf} * axes_.size() + axis) * capacity_;
  }
  double* low(std::int32_t node) { return boxes_.data() + std::int64_t{node} * 2 * axes_.size(); }
  double* high(std::int32_t node) { return low(node) + axes_.size(); }
  const double* low(std::int32_t node) const { return boxes_.data() + std::int64_t{node} * 2 * axes_.size(); }
  const double* high(std::int32_t node) const { return low(node) + axes_.size(); }
  Home& home(double position) { return homes_[ring_.slot(static_cast<Position>(position))]; }

  std::int32_t new_node(std::int32_t parent);
  std::int32_t new_leaf();
  void free_node(std::int32_t node);
  void clear_box(std::int32_t node);
  void widen(std::int32_t node, const double* row);
  void put(std::int32_t node, const double* row);
  void take_rows(std::int32_t node, std::vector<double>& rows);
  void unlink(std::int32_t node);
  void rebuild(std::int32_t node, const Scales& scales);
  void rebuild_all(const Scales& scales);
  void build(std::int32_t node, std::vector<std::int64_t>& order, std::int64_t begin, std::int64_t end,
             const std::vector<double>& rows, const Scales& scales);
  int widest_axis(std::int32_t node, const Scales& scales) const;
  double least_distance(std::int32_t node, const Average& target, const Scales& scales) const;

  template <class Accept>
  void visit(std::int32_t node, const Average& target, const Scales& scales, const Accept& accept,
             Nearest& nearest) const {
    if (nodes_[node].leaf != kNone) {
      scan(node, target, scales, accept, nearest);
      return;
    }
    std::int32_t near = nodes_[node].left, far = nodes_[node].right;
    double near_least = least_distance(near, target, scales), far_least = least_distance(far, target, scales);
    if (far_least < near_least) {
      std::swap(near, far);
      std::swap(near_least, far_least);
    }
    const auto earliest = [&](std::int32_t child) { return static_cast<Position>(low(child)[axes_.position()]); };
    if (nearest.wants(near_least, earliest(near))) visit(near, target, scales, accept, nearest);
    if (nearest.wants(far_least, earliest(far))) visit(far, target, scales, accept, nearest);
  }

  template <class Accept>
  void scan(std::int32_t node, const Average& target, const Scales& scales, const Accept& accept,
            Nearest& nearest) const {
    target.distances(column(nodes_[node].leaf, 0), capacity_, padded(nodes_[node].count), scales, distances_.data());
    const double* positions = column(nodes_[node].leaf, axes_.position());
    for (std::int64_t i = 0; i < nodes_[node].count; ++i) {
      if (distances_[i] > nearest.worst()) continue;
      const auto position = static_cast<Position>(positions[i]);
      if (nearest.wants(distances_[i], position) && accept(position)) nearest.add({distances_[i], position});
    }
  }

  Axes axes_;
  Ring ring_;
  std::int64_t capacity_;  // rows of a leaf
  std::int32_t root_ = 0;
  std::int64_t inserted_ = 0;  // since the whole tree was built
  std::vector<Node> nodes_;
  std::vector<double> boxes_;
  std::vector<double> rows_;
  std::vector<Home> homes_;
  std::vector<std::int32_t> free_nodes_;
  std::vector<std::int32_t> free_leaves_;
  std::int32_t leaves_ = 0;
  mutable std::vector<double> distances_;
};

}  // namespace shoal::stream

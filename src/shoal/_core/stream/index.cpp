#include "stream/index.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tuning.hpp"

namespace shoal::stream {

Index::Index(Axes axes, std::int64_t window, std::int64_t leaf)
    : axes_(axes),
      ring_(window),
      capacity_(padded(leaf > 0 ? leaf : window <= tuning::kStreamScan ? window : tuning::kStreamLeaf)),
      homes_(ring_.size()),
      distances_(capacity_) {
  root_ = new_node(kNone);
  nodes_[root_].leaf = new_leaf();
}

std::int32_t Index::new_node(std::int32_t parent) {
  std::int32_t node;
  if (!free_nodes_.empty()) {
    node = free_nodes_.back();
    free_nodes_.pop_back();
    nodes_[node] = Node{};
  } else {
    node = static_cast<std::int32_t>(nodes_.size());
    nodes_.emplace_back();
    boxes_.resize(boxes_.size() + 2 * axes_.size());
  }
  nodes_[node].parent = parent;
  clear_box(node);
  return node;
}

std::int32_t Index::new_leaf() {
  if (!free_leaves_.empty()) {
    const std::int32_t leaf = free_leaves_.back();
    free_leaves_.pop_back();
    return leaf;
  }
  rows_.resize(rows_.size() + axes_.size() * capacity_);
  return leaves_++;
}

void Index::free_node(std::int32_t node) {
  if (nodes_[node].leaf != kNone) free_leaves_.push_back(nodes_[node].leaf);
  free_nodes_.push_back(node);
}

void Index::clear_box(std::int32_t node) {
  std::fill_n(low(node), axes_.size(), std::numeric_limits<double>::infinity());
  std::fill_n(high(node), axes_.size(), -std::numeric_limits<double>::infinity());
}

void Index::widen(std::int32_t node, const double* row) {
  double *lows = low(node), *highs = high(node);
  for (int a = 0; a < axes_.size(); ++a) {
    lows[a] = std::min(lows[a], row[a]);
    highs[a] = std::max(highs[a], row[a]);
  }
}

void Index::put(std::int32_t node, const double* row) {
  const auto offset = static_cast<std::int32_t>(nodes_[node].count++);
  for (int a = 0; a < axes_.size(); ++a) column(nodes_[node].leaf, a)[offset] = row[a];
  home(row[axes_.position()]) = {node, offset};
}

void Index::insert(const double* row, const Scales& scales) {
  std::int32_t node = root_, lopsided = kNone;
  widen(node, row);
  while (nodes_[node].leaf == kNone) {
    const std::int64_t count = ++nodes_[node].count;
    const bool right = row[nodes_[node].axis] > nodes_[node].split;
    const std::int32_t child = right ? nodes_[node].right : nodes_[node].left;
    if (lopsided == kNone && 4 * nodes_[child].count > 3 * count + 8 * capacity_) lopsided = node;
    node = child;
    widen(node, row);
  }
  if (nodes_[node].count == capacity_) {
    // A full leaf becomes an inner node over two halves, and takes the row on the side where it belongs.
    const std::int64_t before = nodes_[node].count;
    rebuild(node, scales);
    nodes_[node].count = before + 1;
    widen(node, row);
    node = row[nodes_[node].axis] > nodes_[node].split ? nodes_[node].right : nodes_[node].left;
    widen(node, row);
  }
  put(node, row);
  if (nodes_[root_].leaf == kNone && ++inserted_ > nodes_[root_].count) {
    rebuild_all(scales);
    inserted_ = 0;
  } else if (lopsided != kNone) {
    rebuild(lopsided, scales);
  }
}

void Index::remove(Position position) {
  const auto [node, offset] = homes_[ring_.slot(position)];
  const std::int32_t leaf = nodes_[node].leaf;
  const std::int64_t last = nodes_[node].count - 1;
  for (int a = 0; a < axes_.size(); ++a) column(leaf, a)[offset] = column(leaf, a)[last];
  home(column(leaf, axes_.position())[offset]).offset = offset;
  for (std::int32_t up = node; up != kNone; up = nodes_[up].parent) --nodes_[up].count;
  if (nodes_[node].count == 0) {
    if (node == root_) clear_box(node);
    else unlink(node);
    return;
  }
  // Two leaves that would half fill one become one.
  const std::int32_t parent = nodes_[node].parent;
  if (parent == kNone || 2 * nodes_[parent].count > capacity_) return;
  const std::int32_t left = nodes_[parent].left, right = nodes_[parent].right;
  if (nodes_[left].leaf == kNone || nodes_[right].leaf == kNone) return;
  std::vector<double> rows;
  take_rows(left, rows);
  take_rows(right, rows);
  free_node(left);
  free_node(right);
  nodes_[parent].leaf = new_leaf();
  nodes_[parent].count = 0;
  clear_box(parent);
  for (std::size_t r = 0; r < rows.size(); r += axes_.size()) {
    widen(parent, rows.data() + r);
    put(parent, rows.data() + r);
  }
}

// An empty leaf goes, and its sibling takes the parent's place.
void Index::unlink(std::int32_t node) {
  const std::int32_t parent = nodes_[node].parent, grandparent = nodes_[parent].parent;
  const std::int32_t sibling = nodes_[parent].left == node ? nodes_[parent].right : nodes_[parent].left;
  nodes_[sibling].parent = grandparent;
  if (grandparent == kNone) root_ = sibling;
  else (nodes_[grandparent].left == parent ? nodes_[grandparent].left : nodes_[grandparent].right) = sibling;
  free_node(node);
  free_node(parent);
}

// The rows under a node, appended one after the other; nodes below it are freed, the node itself stays.
void Index::take_rows(std::int32_t node, std::vector<double>& rows) {
  if (nodes_[node].leaf != kNone) {
    for (std::int64_t i = 0; i < nodes_[node].count; ++i)
      for (int a = 0; a < axes_.size(); ++a) rows.push_back(column(nodes_[node].leaf, a)[i]);
    return;
  }
  for (const std::int32_t child : {nodes_[node].left, nodes_[node].right}) {
    take_rows(child, rows);
    free_node(child);
  }
}

void Index::rebuild(std::int32_t node, const Scales& scales) {
  std::vector<double> rows;
  rows.reserve(nodes_[node].count * axes_.size());
  take_rows(node, rows);
  if (nodes_[node].leaf != kNone) free_leaves_.push_back(nodes_[node].leaf);
  std::vector<std::int64_t> order(rows.size() / axes_.size());
  std::iota(order.begin(), order.end(), 0);
  build(node, order, 0, static_cast<std::int64_t>(order.size()), rows, scales);
}

// Nodes and leaves are laid out anew, depth first: tuples near each other stand near each other in memory.
void Index::rebuild_all(const Scales& scales) {
  std::vector<double> rows;
  rows.reserve(size() * axes_.size());
  take_rows(root_, rows);
  nodes_.clear();
  boxes_.clear();
  free_nodes_.clear();
  free_leaves_.clear();
  leaves_ = 0;
  rows_.clear();
  root_ = new_node(kNone);
  std::vector<std::int64_t> order(rows.size() / axes_.size());
  std::iota(order.begin(), order.end(), 0);
  build(root_, order, 0, static_cast<std::int64_t>(order.size()), rows, scales);
}

void Index::build(std::int32_t node, std::vector<std::int64_t>& order, std::int64_t begin, std::int64_t end,
                  const std::vector<double>& rows, const Scales& scales) {
  const auto row = [&](std::int64_t i) { return rows.data() + order[i] * axes_.size(); };
  clear_box(node);
  for (std::int64_t i = begin; i < end; ++i) widen(node, row(i));
  nodes_[node].leaf = kNone;
  nodes_[node].count = 0;
  // Leaves start three quarters full at most, so that the next tuples find room.
  if (4 * (end - begin) <= 3 * capacity_) {
    nodes_[node].leaf = new_leaf();
    for (std::int64_t i = begin; i < end; ++i) put(node, row(i));
    return;
  }
  const int axis = widest_axis(node, scales);
  const std::int64_t middle = begin + (end - begin) / 2;
  const auto before = [&](std::int64_t a, std::int64_t b) {
    const double *left = rows.data() + a * axes_.size(), *right = rows.data() + b * axes_.size();
    return left[axis] != right[axis] ? left[axis] < right[axis] : left[axes_.position()] < right[axes_.position()];
  };
  std::nth_element(order.begin() + begin, order.begin() + middle, order.begin() + end, before);
  const double split = row(middle)[axis];
  const std::int32_t left = new_node(node), right = new_node(node);
  Node& inner = nodes_[node];
  inner.left = left;
  inner.right = right;
  inner.count = end - begin;
  inner.axis = axis;
  inner.split = split;
  build(left, order, begin, middle, rows, scales);
  build(right, order, middle, end, rows, scales);
}

// Where the box is widest in the distance; by position when all tuples are alike, since ties go by position.
int Index::widest_axis(std::int32_t node, const Scales& scales) const {
  int widest = axes_.position();
  double most = 0.0;
  for (int a = 0; a < axes_.size(); ++a) {
    double extent = high(node)[a] - low(node)[a];
    if (a >= axes_.first_code()) extent = extent > 0.0 ? std::sqrt(scales[a]) : 0.0;
    else extent *= scales[a];
    if (extent > most) {
      most = extent;
      widest = a;
    }
  }
  return widest;
}

// No row in the box is nearer, even after rounding: each step is monotone and taken in the order of Average::distance.
double Index::least_distance(std::int32_t node, const Average& target, const Scales& scales) const {
  const double *lows = low(node), *highs = high(node), *centre = target.centre();
  double sum = 0.0;
  for (int a = 0; a < axes_.first_code(); ++a) {
    const double gap = std::max(0.0, std::max(lows[a] - centre[a], centre[a] - highs[a])) * scales[a];
    sum += gap * gap;
  }
  for (int c = 0; c < axes_.codes; ++c) {
    const int a = axes_.first_code() + c;
    sum += lows[a] == highs[a] ? target.code_cost(c, lows[a], scales[a]) : target.least_code_cost(c, scales[a]);
  }
  return sum;
}

}  // namespace shoal::stream

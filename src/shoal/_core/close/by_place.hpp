// The records that remain, in a tree that knows where the least places of their codes are: those of the first places by
// increasing distance, without a look at the others. A priority search tree (McCreight 1985) in more dimensions, walked
// outward by one queue of nodes and records (Hjaltason and Samet 1999).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "search/neighbours.hpp"
#include "search/records.hpp"

namespace shoal {

// A k-d tree of boxes in doubles. A node has the least place and the lowest row of what is left below it. Bounds of
// distances are added in the order of squared_distance, and rounding keeps order, so they are never on the wrong side
// (search/exact_boxes.hpp). Boxes stay as they were drawn when records leave: they are bounds still.
//
// Places come in classes that are wanted together, as a rule. The first class that a node has left has a box of its own,
// which shrinks with it: walks use up the first classes around where they begin, and without that box every walk would
// look at all leaves along the edge of what is used up, to find nothing inside of it.
//
// Lifetime: keeps a reference to the records, which must outlive it.
class ByPlace {
 public:
  // `place` says where the code of a row stands, `end` where the class of a place ends.
  template <class PlaceOf, class EndOf>
  ByPlace(const Records& records, std::vector<Row> rows, PlaceOf place, EndOf end)
      : records_(records),
        numbers_(records.number_count()),
        width_(numbers_ + records.code_count),
        rows_(std::move(rows)),
        leaves_(records.size),
        slots_(records.size) {
    if (!rows_.empty()) split(0, static_cast<std::int32_t>(rows_.size()), kNone);
    least_places_.assign(nodes_.size(), kNowhere);
    first_ends_.assign(nodes_.size(), kNowhere);
    first_sides_.assign(sides_.size(), kEmpty);
    least_rows_.assign(nodes_.size(), kNobody);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      places_.push_back(place(rows_[i]));
      ends_.push_back(end(places_.back()));
      slots_[rows_[i]] = static_cast<std::int32_t>(i);
    }
    for (auto node = static_cast<std::int32_t>(nodes_.size()); node-- > 0;) sum_up(node);  // children come after
  }

  void remove(std::span<const Row> rows) {
    for (const Row row : rows) {
      const std::int32_t slot = slots_[row], last = --nodes_[leaves_[row]].end;
      std::swap(rows_[slot], rows_[last]);
      std::swap(places_[slot], places_[last]);
      std::swap(ends_[slot], ends_[last]);
      std::swap(slots_[rows_[slot]], slots_[row]);
      for (std::int32_t node = leaves_[row]; node != kNone && sum_up(node); node = nodes_[node].parent) {
      }
    }
  }

  // Begins a walk outward from a point. No record may leave on the way.
  void start(const Place& from) {
    from_ = from;
    queue_.clear();
    if (!nodes_.empty()) queue_.push_back({{0.0, least_rows_.front()}, least_places_.front(), 0});
  }

  // The next record on the walk that comes after `after` by distance, then row, and whose place is below `limit` and
  // wanted; row -1 if there is none. On one walk `after` may only grow, and what is wanted only become less. `measured`
  // is the distance of a row.
  template <class Wanted, class Measured>
  Neighbour next(const Neighbour& after, std::int32_t limit, Wanted wanted, Measured measured) {
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end());
      const auto [bound, least, node] = queue_.back();
      queue_.pop_back();
      if (least >= limit) continue;
      if (node != kNone) {
        open(node, after, limit, wanted, measured);
      } else if (after < bound && wanted(least)) {
        return bound;
      }
    }
    return {0.0, -1};
  }

 private:
  static constexpr std::int32_t kLeaf = 8;
  static constexpr std::int32_t kNone = -1, kNowhere = std::numeric_limits<std::int32_t>::max();
  static constexpr Row kNobody = std::numeric_limits<Row>::max();

  struct Node {
    std::int32_t begin, end;  // of a leaf's rows
    std::int32_t parent, left = kNone, right = kNone;
  };

  // A node, none for a record, with the nearest and the least place that it may have; the nearest is on top of a heap.
  struct Entry {
    Neighbour bound;
    std::int32_t least;
    std::int32_t node;
    bool operator<(const Entry& other) const { return other.bound < bound; }
  };

  struct Side {
    double low, high;
    bool operator==(const Side&) const = default;
  };
  static constexpr Side kEmpty{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

  static Side around(const Side& one, const Side& other) {
    return {std::min(one.low, other.low), std::max(one.high, other.high)};
  }

  Side at(Row row, int j) const { return {value(row, j), value(row, j)}; }
  double value(Row row, int j) const { return j < numbers_ ? records_.number(row, j) : records_.code(row, j - numbers_); }

  std::int32_t split(std::int32_t begin, std::int32_t end, std::int32_t parent) {
    const auto node = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back({begin, end, parent});
    const int attribute = draw(begin, end);
    if (end - begin <= kLeaf) {
      for (std::int32_t i = begin; i < end; ++i) leaves_[rows_[i]] = node;
      return node;
    }
    const std::int32_t middle = begin + (end - begin) / 2;
    std::nth_element(rows_.begin() + begin, rows_.begin() + middle, rows_.begin() + end, [&](Row one, Row other) {
      return std::pair{value(one, attribute), one} < std::pair{value(other, attribute), other};
    });
    const std::int32_t left = split(begin, middle, node), right = split(middle, end, node);
    nodes_[node].left = left;
    nodes_[node].right = right;
    return node;
  }

  // Draws the box of the next node, and returns the attribute in which its records differ most.
  int draw(std::int32_t begin, std::int32_t end) {
    std::pair<double, int> widest{-1.0, 0};
    for (int j = 0; j < width_; ++j) {
      Side side = kEmpty;
      for (std::int32_t i = begin; i < end; ++i) side = around(side, at(rows_[i], j));
      sides_.push_back(side);
      const double extent = side.high - side.low;
      const double spread = j < numbers_ ? extent * extent : extent > 0.0 ? records_.code_weights[j - numbers_] : 0.0;
      if (spread > widest.first) widest = {spread, j};
    }
    return widest.second;
  }

  // Says whether anything changed.
  bool sum_up(std::int32_t at_node) {
    const Node& node = nodes_[at_node];
    std::int32_t place = kNowhere, end = kNowhere;
    Row row = kNobody;
    const auto note = [&](std::int32_t its_place, std::int32_t its_end, Row its_row) {
      place = std::min(place, its_place);
      end = std::min(end, its_end);
      row = std::min(row, its_row);
    };
    if (node.left != kNone) {
      for (const std::int32_t child : {node.left, node.right}) {
        note(least_places_[child], first_ends_[child], least_rows_[child]);
      }
    } else {
      for (std::int32_t i = node.begin; i < node.end; ++i) note(places_[i], ends_[i], rows_[i]);
    }
    bool changed = place != least_places_[at_node] || row != least_rows_[at_node] || end != first_ends_[at_node];
    least_places_[at_node] = place;
    least_rows_[at_node] = row;
    first_ends_[at_node] = end;
    for (int j = 0; j < width_; ++j) {
      const Side side = first_side(node, end, j);
      Side& known = first_sides_[static_cast<std::int64_t>(at_node) * width_ + j];
      changed |= side != known;
      known = side;
    }
    return changed;
  }

  // One side of the box of the records below a node whose class ends at `end`.
  Side first_side(const Node& node, std::int32_t end, int j) const {
    Side side = kEmpty;
    if (node.left != kNone) {
      for (const std::int32_t child : {node.left, node.right}) {
        if (first_ends_[child] == end) side = around(side, first_sides_[static_cast<std::int64_t>(child) * width_ + j]);
      }
    } else {
      for (std::int32_t i = node.begin; i < node.end; ++i) {
        if (ends_[i] == end) side = around(side, at(rows_[i], j));
      }
    }
    return side;
  }

  // The least and the greatest distance that a record of a node can have whose place is below `limit`.
  std::pair<double, double> reach(std::int32_t node, std::int32_t limit, const Place& from) const {
    const auto& sides = limit <= first_ends_[node] ? first_sides_ : sides_;
    const Side* side = sides.data() + static_cast<std::int64_t>(node) * width_;
    double near = 0.0, far = 0.0;
    for (int j = 0; j < numbers_; ++j, ++side) {
      const double gap = std::max(std::max(side->low - from.numbers[j], from.numbers[j] - side->high), 0.0);
      const double across = std::max(from.numbers[j] - side->low, side->high - from.numbers[j]);
      near += gap * gap;
      far += across * across;
    }
    for (int j = 0; j < records_.code_count; ++j, ++side) {
      const auto code = static_cast<double>(from.codes[j]);
      if (code < side->low || side->high < code) near += records_.code_weights[j];
      if (side->low != code || side->high != code) far += records_.code_weights[j];
    }
    return {near, far};
  }

  // Puts the children of a node, or the records of a leaf, into the queue.
  template <class Wanted, class Measured>
  void open(std::int32_t at, const Neighbour& after, std::int32_t limit, Wanted wanted, Measured measured) {
    const auto put = [this](const Neighbour& bound, std::int32_t least, std::int32_t node) {
      queue_.push_back({bound, least, node});
      std::push_heap(queue_.begin(), queue_.end());
    };
    const Node& node = nodes_[at];
    if (node.left == kNone) {
      for (std::int32_t i = node.begin; i < node.end; ++i) {
        if (places_[i] >= limit || !wanted(places_[i])) continue;
        const Neighbour candidate{measured(rows_[i]), rows_[i]};
        if (after < candidate) put(candidate, places_[i], kNone);
      }
      return;
    }
    for (const std::int32_t child : {node.left, node.right}) {
      if (least_places_[child] >= limit) continue;
      const auto [near, far] = reach(child, limit, from_);
      if (far >= after.distance) put({near, least_rows_[child]}, least_places_[child], child);
    }
  }

  const Records& records_;
  int numbers_, width_;
  std::vector<Row> rows_;                // leaf by leaf; those that are gone at the end of theirs
  std::vector<std::int32_t> places_, ends_;  // of the rows there, and of the classes of these places
  std::vector<std::int32_t> leaves_, slots_;  // where each row stands
  std::vector<Node> nodes_;
  std::vector<Side> sides_, first_sides_;  // of the boxes, node by node, of all records and of the first class
  std::vector<std::int32_t> least_places_, first_ends_;  // of each node, and where the class of that place ends
  std::vector<Row> least_rows_;
  Place from_;
  std::vector<Entry> queue_;
};

}  // namespace shoal

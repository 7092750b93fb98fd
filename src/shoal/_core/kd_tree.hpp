// A k-d tree that forgets: nearest and farthest records among those that remain, exactly as a full scan finds them.
//
//   KdTree tree(records);                  // over all rows, or KdTree(records, rows) over some of them
//   Nearest nearest(k, row);               // the k nearest other than `row` itself; see neighbours.hpp
//   tree.nearest(place, nearest, row);     // nearest.sorted() now has them, by (distance, row)
//   NearestTies ties;                      // how many records share the smallest distance
//   tree.nearest(place, ties);
//   Farthest far = tree.farthest(place);   // greatest distance, then lowest row
//   tree.remove(rows);                     // a batch is cheaper than one by one
//   tree.insert(row);                      // its values are read from `records` now, and again at a rebuild
//
// A place is any point in the space of the records: one of them, an average, a record of another table.
// Questions are const and may be asked from several threads at once.
//
// Shape. Records stand in leaves of 32, and 32 children make a node, so that one vectorised loop (lanes.hpp) bounds the
// distance to all children of a node, and another computes the distances to all records of a leaf. Leaves are full
// when built and in depth-first order, so the children of node b are 32b..32b+31: no pointers. A node knows, for each
// child, its bounding box, the codes inside, and the greatest norm (squared distance to the tree's centre) inside.
//
// The farthest record from a place is near its antipode: the point opposite to the place, seen from the centre, as
// far out as the farthest record. The box's distance to the antipode and its norm bound the distance to the place
// (far_query), far better than the corners of the box do beyond two dimensions.
//
// Removal moves the last record of the leaf into the gap, then tightens the boxes on the way up while they change. When
// the leaves have grown too empty the tree is built anew around the rest. Inserted records wait in a tail of blocks
// that every question scans, until the tail is long enough to pay for a rebuild.
//
// Exactness. Box bounds are computed with the operations of the distance itself, in the same order, and rounding
// is monotone: a record inside never comes out nearer than the lower bound or farther than the upper bound. The norm
// bound carries a guard for its rounding. A child whose bound equals the best distance is still visited, since a tie
// goes to the lowest row. So the answers are those of a scan, bit for bit.
//
// Many trees over disjoint rows of the same records (one per bucket, say) may share one SlotMap of records.size entries
// instead of owning one each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "block_store.hpp"
#include "lanes.hpp"
#include "lines.hpp"
#include "neighbours.hpp"
#include "records.hpp"

namespace shoal {

using SlotMap = Lines<Row>;  // where in its tree each row stands

class KdTree {
 public:
  explicit KdTree(const Records& records);
  KdTree(const Records& records, std::vector<Row> rows, std::shared_ptr<SlotMap> slots = nullptr);

  std::int64_t size() const { return size_; }

  // Offers every record that may matter to a collector (Nearest, NearestTies or BallSurface) that says how far it still looks.
  // `start`, a row that is or was in the tree and stands at or near the place, saves a descent.
  template <class Collector>
  void nearest(const Place& place, Collector& collector, Row start = -1) const;

  // The record farthest from `place`; row -1 if there is none.
  Farthest farthest(const Place& place) const;

  void remove(std::span<const Row> rows);
  void remove(Row row) { remove({&row, 1}); }
  void insert(Row row);

  // The place of a record of the tree.
  void locate(Row row, Place& place) const { store_.get((*slots_)[row], place); }

  // Calls visit(row) for every record, in no particular order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t leaf = 0; leaf < counts_.size(); ++leaf) {
      for (int i = 0; i < counts_[leaf]; ++i) visit(store_.row(static_cast<std::int64_t>(leaf) * kBlock + i));
    }
  }

 private:
  // The boxes of all nodes of one height (height 0: leaves), 32 to a block, and which of them hold records.
  struct Level {
    Level(std::int64_t boxes, const Records& records);
    Boxes block(std::int64_t block) const;

    int number_count;
    int code_count;
    Lines<double> low, high, norm;
    Lines<std::uint64_t> sets;
    std::vector<Lanes> alive;
  };

  void build(std::vector<Row>&& rows);
  void rebuild();
  void tighten_leaf(std::int64_t leaf);
  bool tighten_node(int level, std::int64_t block);
  void tighten_touched();
  template <class Collector>
  void visit_near(int level, std::int64_t block, const Query& query, Collector& collector, std::int64_t skip) const;
  template <class Collector>
  void scan_near(std::int64_t leaf, const Query& query, Collector& collector) const;
  void visit_far(int level, std::int64_t block, const FarQuery& query, Farthest& farthest) const;
  void scan_far(std::int64_t leaf, const Query& query, Farthest& farthest) const;
  Query query(const Place& place) const;
  FarQuery far_query(const Place& place, std::vector<double>& antipode) const;
  std::int64_t block_count() const { return static_cast<std::int64_t>(counts_.size()); }

  const Records& records_;
  LaneKernels kernels_;
  std::shared_ptr<SlotMap> slots_;
  std::int64_t size_ = 0;
  BlockStore store_;
  std::int64_t filled_leaves_ = 0;    // those that hold records
  std::int64_t leaves_ = 0;           // blocks of the tree; blocks after them are the tail
  std::vector<std::uint8_t> counts_;  // records left in each block
  std::vector<Level> levels_;
  std::vector<double> centre_;
  Query centre_query_{};
  std::vector<double> scratch_low_, scratch_high_;
  std::vector<std::int64_t> touched_;  // leaves to tighten
};

}  // namespace shoal

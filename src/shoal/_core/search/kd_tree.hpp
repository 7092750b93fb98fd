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
// child, the box around the images of its records (sketch.hpp), their codes and the greatest norm among them.
//
// With many numbers, images and boxes are kept in bytes (coded_blocks.hpp): such a search visits many of them, and waits for
// memory. With few, boxes are floats, and the records of a leaf are as quickly read as their images would be.
//
// The farthest record from a place is near its antipode: the point opposite to the place, seen from the centre, as
// far out as the farthest record. The box's distance to the antipode and its norm bound the distance to the place
// (far_query), far better than the corners of the box do beyond two dimensions.
//
// Removal moves the last record of the leaf into the gap, then tightens the boxes on the way up while they change. When
// the leaves have grown too empty the tree is built anew around the rest. Inserted records wait in a tail of blocks
// that every question scans, until the tail is long enough to pay for a rebuild.
//
// Exactness. A child is left out only if no image in it is within the limit that the sketch sets for the best distance
// found so far; the sketch widens the limit by all that rounding can do, and a tie is within it, since ties go to
// the lowest row. Distances that decide are computed in doubles, in the one order. So the answers are those of a
// scan, bit for bit.
//
// Where images tell too little, as among records of codes alone or where some lie very far away, boxes in doubles are kept
// beside those of images, and looked at where these rule nobody out (exact_boxes.hpp).
//
// Lifetime: a tree keeps a reference to the Records it is made of, and reads them again at a rebuild and at insertions.
// They must outlive it and stay in place; their values may change only in rows that the tree does not hold.
//
// Many trees over disjoint rows of the same records (one per bucket, say) may share one SlotMap of records.size entries
// instead of owning one each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "platform.hpp"
#include "search/block_store.hpp"
#include "search/coded_blocks.hpp"
#include "search/exact_boxes.hpp"
#include "search/lanes.hpp"
#include "search/lines.hpp"
#include "search/neighbours.hpp"
#include "search/records.hpp"
#include "search/sketch.hpp"

namespace shoal {

using SlotMap = Lines<Row>;  // where in its tree each row stands

class KdTree {
 public:
  explicit KdTree(const Records& records);
  KdTree(const Records& records, std::vector<Row> rows, std::shared_ptr<SlotMap> slots = nullptr);
  explicit KdTree(Records&&) = delete;  // a reference to it is kept

  std::int64_t size() const { return size_; }

  // Offers every record that may matter to a collector (see neighbours.hpp) that says how far it still looks.
  // `start`, a row that is or was in the tree and stands at or near the place, saves a descent. Returns how many nodes
  // and leaves were looked at.
  template <class Collector>
  std::int64_t nearest(const Place& place, Collector& collector, Row start = -1) const;

  // The record farthest from `place`; row -1 if there is none. Adds the nodes and leaves visited to `visits`.
  Farthest farthest(const Place& place, std::int64_t* visits = nullptr) const;

  void remove(std::span<const Row> rows);
  void remove(Row row) { remove({&row, 1}); }
  void insert(Row row);

  // Lets `heir`, a record equal to `row`, take its place.
  void replace(Row row, Row heir) {
    const Row slot = (*slots_)[row];
    store_.relabel(slot, heir);
    (*slots_)[heir] = slot;
    if (!exact_.empty() && slot / kBlock < leaves_) {
      touched_.assign(1, slot / kBlock);
      tighten_touched();
    }
  }

  bool holds(Row row) const {
    const Row slot = (*slots_)[row];
    return slot / kBlock < block_count() && slot % kBlock < counts_[slot / kBlock] && store_.row(slot) == row;
  }

  // The place of a record of the tree.
  void locate(Row row, Place& place) const { store_.get((*slots_)[row], place); }

  // Asks for where these records stand, ahead of locate or remove.
  void fetch(std::span<const Row> rows) const {
    for (const Row row : rows) prefetch(slots_->data() + row);
  }

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
    Level(std::int64_t boxes, const Records& records, bool coded);
    Boxes block(std::int64_t block) const;

    int number_count;
    int code_count;
    Lines<float> low, high, norm;
    CodedBlocks coded;  // instead of low and high
    Lines<std::uint64_t> sets;
    std::vector<Lanes> alive;
  };

  void build(std::vector<Row>&& rows);
  void rebuild();
  bool images_say_little() const;
  bool sees_little() const;
  void code_leaf(std::int64_t leaf);
  void draw_frames();
  void decode_box(const CodedBlock& block, const std::uint8_t* high, int count, float margin);
  void extent_of_leaf(std::int64_t leaf);
  void tighten_leaf(std::int64_t leaf);
  bool tighten_node(int level, std::int64_t block);
  void tighten_touched();
  void find_reach();
  template <class Collector>
  struct NearSearch;
  // The children of a node that a search may have to look at. With many numbers, the leaves of one node are asked for
  // while the boxes of the next are looked at, and have come by the time they are scanned.
  struct Children {
    Children() {}  // bounds are written before they are read
    std::int64_t block = 0;
    Lanes lanes = 0;
    alignas(64) float bounds[kBlock];
  };
  template <class Collector>
  void open_near(int level, std::int64_t block, NearSearch<Collector>& search, Children& children) const;
  template <class Collector>
  void scan_near(Children& leaves, NearSearch<Collector>& search) const;
  template <class Collector>
  void visit_near(int level, std::int64_t block, NearSearch<Collector>& search) const;
  template <class Collector>
  void visit_near_exactly(int level, std::int64_t block, NearSearch<Collector>& search) const;
  template <class Collector>
  void scan_near(std::int64_t leaf, NearSearch<Collector>& search) const;
  double sizes(const SketchedPlace& image) const;
  void fetch_children(int level, std::int64_t block, Lanes lanes) const;
  Lanes near_boxes(int level, std::int64_t block, const ImageQuery& query, float limit, float* bounds) const;
  Lanes far_boxes(int level, std::int64_t block, const FarQuery& query, float limit, float* bounds) const;
  struct FarSearch;
  void open_far(int level, std::int64_t block, FarSearch& search, Children& children) const;
  void scan_far(Children& leaves, FarSearch& search) const;
  void visit_far(int level, std::int64_t block, FarSearch& search) const;
  void visit_far_exactly(int level, std::int64_t block, FarSearch& search) const;
  void scan_far(std::int64_t leaf, FarSearch& search) const;
  FarQuery far_query(const ImageQuery& query, double size, std::vector<float>& antipode) const;
  Query query(const Place& place) const;
  ImageQuery image_query(const Place& place, const SketchedPlace& image) const;
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
  std::vector<ExactBoxes> exact_;     // of the same levels, or empty
  std::int64_t built_size_ = 0;       // records when the tree was built
  std::unique_ptr<Sketch> sketch_;
  bool coded_ = false;  // whether there are many numbers: boxes are coded, and coded images looked at before records
  CodedBlocks coded_leaves_;
  Lines<float> norms_;  // of the images, slot by slot
  double reach_ = 0.0;  // greatest norm of all images
  std::vector<float> images_, scratch_low_, scratch_high_;
  std::vector<std::uint8_t> scratch_least_, scratch_greatest_;  // codes
  std::vector<std::int64_t> touched_;  // leaves to tighten
};

}  // namespace shoal

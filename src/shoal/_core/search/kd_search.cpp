// The questions to a k-d tree.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "search/kd_tree.hpp"
#include "search/nearest_subjects.hpp"

namespace shoal {
namespace {

// Takes the lane whose bound comes first out of the set.
template <class Before>
int take_first(Lanes& lanes, const float* bounds, Before before) {
  int first = std::countr_zero(lanes);
  for (Lanes rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (before(bounds[lane], bounds[first])) first = lane;
  }
  lanes &= ~(Lanes{1} << first);
  return first;
}

// The same, with the lowest row first among equals.
template <class Before>
int take_first(Lanes& lanes, const double* bounds, const Row* lowest, Before before) {
  int first = std::countr_zero(lanes);
  for (Lanes rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (before(bounds[lane], bounds[first]) || (bounds[lane] == bounds[first] && lowest[lane] < lowest[first])) {
      first = lane;
    }
  }
  lanes &= ~(Lanes{1} << first);
  return first;
}

// Whether a record at this distance, with this row or a higher one, can still matter to a collector.
template <class Collector>
bool open_to(const Collector& collector, double distance, Row row) {
  if constexpr (requires { collector.open_to(distance, row); }) {
    return collector.open_to(distance, row);
  } else {
    return distance <= collector.bound();
  }
}

// With many numbers the antipode of a place is so many times as far out as the farthest record: for 8 and 12 of them
// fewer nodes and leaves are looked at than with 1 or 1.15, by up to a quarter, and no more than with 1.5.
constexpr double kFartherOut = 1.3;

Lanes first_lanes(int count) { return count >= kBlock ? ~Lanes{0} : (Lanes{1} << count) - 1; }

}  // namespace

Query KdTree::query(const Place& place) const {
  return {place.numbers.data(), records_.number_count(), place.codes.data(), records_.code_weights.data(),
          records_.code_count};
}

ImageQuery KdTree::image_query(const Place& place, const SketchedPlace& image) const {
  return {image.numbers.data(), records_.number_count(), place.codes.data(), sketch_->weights(), records_.code_count};
}

// What the sketch's error goes with: the sizes of numbers, or as much more as codes can be off.
double KdTree::sizes(const SketchedPlace& image) const {
  return (image.size + std::sqrt(reach_)) * (coded_ ? CodedBlocks::error_of_sizes(records_.number_count()) : 1.0);
}

// Asks for what will be read of the children of a node.
void KdTree::fetch_children(int level, std::int64_t block, Lanes lanes) const {
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::int64_t child = block * kBlock + std::countr_zero(lanes);
    if (level > 0 && coded_) {
      levels_[level - 1].coded.fetch(child);
    } else if (level == 0 && coded_) {
      coded_leaves_.fetch(child);
    } else if (level == 0) {
      store_.fetch(child);
    }
  }
}

Lanes KdTree::near_boxes(int level, std::int64_t block, const ImageQuery& query, float limit, float* bounds) const {
  const Level& here = levels_[level];
  const Boxes boxes = here.block(block);
  const Lanes within = coded_ ? kernels_.near_coded_boxes(here.coded[block], boxes, query, limit, bounds)
                              : kernels_.near_boxes(boxes, query, limit, bounds);
  return within & here.alive[block];
}

Lanes KdTree::far_boxes(int level, std::int64_t block, const FarQuery& query, float limit, float* bounds) const {
  const Level& here = levels_[level];
  const Boxes boxes = here.block(block);
  const Lanes within = coded_ ? kernels_.far_coded_boxes(here.coded[block], boxes, query, limit, bounds)
                              : kernels_.far_boxes(boxes, query, limit, bounds);
  return within & here.alive[block];
}

// A question on its way: where it is asked from, and the limit among images that the collector's bound amounts to.
template <class Collector>
struct KdTree::NearSearch {
  Query query;
  ImageQuery image;
  const Sketch& sketch;
  double sizes;
  Collector& collector;
  std::int64_t skip;  // a leaf seen already
  double bound = -1.0;
  float limit = -1.0F;
  double root = 0.0;        // of the limit
  std::int64_t visits = 0;  // at nodes and leaves

  float update() {
    if (collector.bound() != bound) {
      bound = collector.bound();
      if constexpr (requires { collector.reach(); }) {
        limit = sketch.near_limit(bound * collector.reach(), sizes);
      } else {
        limit = sketch.near_limit(bound, sizes);
      }
      root = std::sqrt(std::max(static_cast<double>(limit), 0.0));
    }
    return limit;
  }
};

template <class Collector>
std::int64_t KdTree::nearest(const Place& place, Collector& collector, Row start) const {
  SketchedPlace image;
  image.set(*sketch_, place);
  NearSearch<Collector> search{query(place), image_query(place, image), *sketch_, sizes(image), collector, -1};
  if (start >= 0 && (*slots_)[start] / kBlock < block_count()) {
    scan_near((*slots_)[start] / kBlock, search);
    search.skip = (*slots_)[start] / kBlock;
  }
  for (std::int64_t block = leaves_; block < block_count(); ++block) {
    if (block != search.skip) scan_near(block, search);
  }
  if (leaves_ > 0) visit_near(static_cast<int>(levels_.size()) - 1, 0, search);
  return search.visits;
}

template std::int64_t KdTree::nearest(const Place&, Nearest&, Row) const;
template std::int64_t KdTree::nearest(const Place&, NearlyNearest&, Row) const;
template std::int64_t KdTree::nearest(const Place&, NearestSubjects&, Row) const;
template std::int64_t KdTree::nearest(const Place&, NearestAfter&, Row) const;
template std::int64_t KdTree::nearest(const Place&, NearestTies&, Row) const;
template std::int64_t KdTree::nearest(const Place&, NearestOfEach&, Row) const;
template std::int64_t KdTree::nearest(const Place&, BallSurface&, Row) const;

template <class Collector>
void KdTree::visit_near(int level, std::int64_t block, NearSearch<Collector>& search) const {
  if (!exact_.empty()) return visit_near_exactly(level, block, search);
  Children here, ahead;
  open_near(level, block, search, here);
  while (here.lanes != 0) {
    const std::int64_t child = block * kBlock + take_first(here.lanes, here.bounds, std::less<>());
    if (level == 0) {
      if (child != search.skip) scan_near(child, search);
    } else if (level == 1 && coded_) {
      Children next;
      open_near(0, child, search, next);
      scan_near(ahead, search);
      ahead = next;
    } else {
      visit_near(level - 1, child, search);
    }
    here.lanes &= kernels_.at_most(here.bounds, search.update());
  }
  scan_near(ahead, search);
}

// Bounds the distances to the children of a node, and asks for those within the limit.
template <class Collector>
void KdTree::open_near(int level, std::int64_t block, NearSearch<Collector>& search, Children& children) const {
  ++search.visits;
  children.block = block;
  children.lanes = near_boxes(level, block, search.image, search.update(), children.bounds);
  fetch_children(level, block, children.lanes);
}

// Scans leaves that were asked for a while ago.
template <class Collector>
void KdTree::scan_near(Children& leaves, NearSearch<Collector>& search) const {
  while (leaves.lanes != 0 && (leaves.lanes &= kernels_.at_most(leaves.bounds, search.update())) != 0) {
    const std::int64_t leaf = leaves.block * kBlock + take_first(leaves.lanes, leaves.bounds, std::less<>());
    if (leaf != search.skip) scan_near(leaf, search);
  }
}

template <class Collector>
void KdTree::visit_near_exactly(int level, std::int64_t block, NearSearch<Collector>& search) const {
  ++search.visits;
  alignas(64) float images[kBlock];
  alignas(64) double bounds[kBlock];
  Lanes lanes = near_boxes(level, block, search.image, search.update(), images);
  if (lanes == 0) return;
  exact_[level].near(block, search.query, levels_[level].block(block).sets, bounds);
  const Row* lowest = exact_[level].lowest(block);
  while (lanes != 0) {
    const int lane = take_first(lanes, bounds, lowest, std::less<>());
    if (!open_to(search.collector, bounds[lane], lowest[lane])) return;
    const std::int64_t child = block * kBlock + lane;
    if (level > 0) {
      visit_near_exactly(level - 1, child, search);
    } else if (child != search.skip) {
      scan_near(child, search);
    }
  }
}

template <class Collector>
void KdTree::scan_near(std::int64_t leaf, NearSearch<Collector>& search) const {
  ++search.visits;
  if (coded_ && leaf < leaves_) {
    const CodedBlock block = coded_leaves_[leaf];
    if (search.update() < 0.0F) return;
    const float limit = coded_leaves_.wider(search.root, block.step);
    if ((kernels_.near_coded(block, store_.codes(leaf), search.image, limit) & first_lanes(counts_[leaf])) == 0) return;
  }
  alignas(64) double distances[kBlock];
  Lanes lanes = kernels_.near(store_.numbers(leaf), store_.codes(leaf), search.query, search.collector.bound(),
                              distances) &
                first_lanes(counts_[leaf]);
  if constexpr (requires { search.collector.fetch(Row{}); }) {
    for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
      search.collector.fetch(store_.row(leaf * kBlock + std::countr_zero(rest)));
    }
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    search.collector.offer(distances[lane], store_.row(leaf * kBlock + lane));
  }
}

struct KdTree::FarSearch {
  Query query;
  FarQuery image;
  const Sketch& sketch;
  double sizes;
  Farthest farthest{};
  std::int64_t visits = 0;
  double bound = -1.0;
  float limit = -std::numeric_limits<float>::infinity();
  double root = 0.0;  // of the limit

  float update() {
    if (farthest.distance != bound) {
      bound = farthest.distance;
      limit = sketch.far_limit(bound, sizes);
      root = std::sqrt(std::max(static_cast<double>(limit), 0.0));
    }
    return limit;
  }
};

// Among images, which have the centre at 0: with u the place, v a record and any point a with -u = t a,
//   |v - u|^2 = |v|^2 + |u|^2 - 2 u.v  and  -2 u.v = 2 t a.v = t (|v|^2 + |a|^2 - |v - a|^2),  so
//   |v - u|^2 = (1 + t) |v|^2 + |u|^2 + t |a|^2 - t |v - a|^2.
// Inside a box |v|^2 is at most its norm and |v - a|^2 at least the squared gap between a and the box. The bound is
// tight where both are attained at once, so a, the antipode, is put as far out as the farthest record. With many
// numbers nobody is right at the antipode, and boxes are wide beside their distance from it: seen from farther out,
// fewer of them look near.
FarQuery KdTree::far_query(const ImageQuery& query, double size, std::vector<float>& antipode) const {
  const double t = size / (std::sqrt(reach_) * (coded_ ? kFartherOut : 1.0));
  antipode.assign(query.number_count, 0.0F);
  constexpr double kHuge = 1e18;  // squares of more would leave the floats
  if (!(t < kHuge && size < kHuge)) {
    return {query, records_.code_levels.data(), antipode.data(), 1.0F, std::numeric_limits<float>::infinity(), 0.0F};
  }
  double norm = 0.0;
  for (int j = 0; t > 0.0 && j < query.number_count; ++j) {
    antipode[j] = static_cast<float>(-query.numbers[j] / t);
    norm += static_cast<double>(antipode[j]) * antipode[j];
  }
  // Each sum below is one of d terms, each term rounded a few times; t a misses -u by its rounding, times 2 |v|.
  const double sizes = (1.0 + 3.0 * t) * reach_ + size * size + 3.0 * t * norm;
  const double guard = 8.0 * sketch_->slack() * sizes;
  return {query,
          records_.code_levels.data(),
          antipode.data(),
          static_cast<float>(1.0 + t),
          static_cast<float>(size * size + t * norm + guard),
          static_cast<float>(t)};
}

Farthest KdTree::farthest(const Place& place, std::int64_t* visits) const {
  SketchedPlace image;
  image.set(*sketch_, place);
  std::vector<float> antipode;
  FarSearch search{query(place), far_query(image_query(place, image), image.size, antipode), *sketch_,
                   sizes(image)};
  for (std::int64_t block = leaves_; block < block_count(); ++block) scan_far(block, search);
  if (leaves_ > 0) visit_far(static_cast<int>(levels_.size()) - 1, 0, search);
  if (visits != nullptr) *visits += search.visits;
  return search.farthest;
}

void KdTree::visit_far(int level, std::int64_t block, FarSearch& search) const {
  if (!exact_.empty()) return visit_far_exactly(level, block, search);
  Children here, ahead;
  open_far(level, block, search, here);
  while (here.lanes != 0) {
    const std::int64_t child = block * kBlock + take_first(here.lanes, here.bounds, std::greater<>());
    if (level == 0) {
      scan_far(child, search);
    } else if (level == 1 && coded_) {
      Children next;
      open_far(0, child, search, next);
      scan_far(ahead, search);
      ahead = next;
    } else {
      visit_far(level - 1, child, search);
    }
    here.lanes &= kernels_.at_least(here.bounds, search.update());
  }
  scan_far(ahead, search);
}

void KdTree::open_far(int level, std::int64_t block, FarSearch& search, Children& children) const {
  ++search.visits;
  children.block = block;
  children.lanes = far_boxes(level, block, search.image, search.update(), children.bounds);
  fetch_children(level, block, children.lanes);
}

void KdTree::scan_far(Children& leaves, FarSearch& search) const {
  while (leaves.lanes != 0 && (leaves.lanes &= kernels_.at_least(leaves.bounds, search.update())) != 0) {
    scan_far(leaves.block * kBlock + take_first(leaves.lanes, leaves.bounds, std::greater<>()), search);
  }
}

void KdTree::visit_far_exactly(int level, std::int64_t block, FarSearch& search) const {
  ++search.visits;
  alignas(64) float images[kBlock];
  alignas(64) double bounds[kBlock];
  Lanes lanes = far_boxes(level, block, search.image, search.update(), images);
  if (lanes == 0) return;
  exact_[level].far(block, search.query, bounds);
  const Row* lowest = exact_[level].lowest(block);
  while (lanes != 0) {
    const int lane = take_first(lanes, bounds, lowest, std::greater<>());
    if (!search.farthest.open_to(bounds[lane], lowest[lane])) return;
    const std::int64_t child = block * kBlock + lane;
    if (level > 0) {
      visit_far_exactly(level - 1, child, search);
    } else {
      scan_far(child, search);
    }
  }
}

void KdTree::scan_far(std::int64_t leaf, FarSearch& search) const {
  ++search.visits;
  if (coded_ && leaf < leaves_) {
    const CodedBlock block = coded_leaves_[leaf];
    search.update();
    const float limit = coded_leaves_.narrower(search.root, block.step);
    if ((kernels_.far_coded(block, store_.codes(leaf), search.image.query, limit) & first_lanes(counts_[leaf])) == 0) {
      return;
    }
  }
  alignas(64) double distances[kBlock];
  Lanes lanes = kernels_.far(store_.numbers(leaf), store_.codes(leaf), search.query, search.farthest.distance,
                             distances) &
                first_lanes(counts_[leaf]);
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    search.farthest.offer(distances[lane], store_.row(leaf * kBlock + lane));
  }
}

}  // namespace shoal

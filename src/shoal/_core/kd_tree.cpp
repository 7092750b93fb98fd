#include "kd_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "kd_order.hpp"

namespace shoal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Takes the lane whose bound comes first out of the set.
template <class Before>
int take_first(Lanes& lanes, const double* bounds, Before before) {
  int first = std::countr_zero(lanes);
  for (Lanes rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (before(bounds[lane], bounds[first])) first = lane;
  }
  lanes &= ~(Lanes{1} << first);
  return first;
}

// Asks for the first few of the blocks that the lanes stand for.
void prefetch_some(const BlockStore& store, std::int64_t first_block, Lanes lanes) {
  for (int i = 0; i < 3 && lanes != 0; ++i, lanes &= lanes - 1) {
    store.prefetch(first_block + std::countr_zero(lanes));
  }
}

Lanes first_lanes(int count) { return count >= kBlock ? ~Lanes{0} : (Lanes{1} << count) - 1; }

std::vector<Row> all_rows(const Records& records) {
  std::vector<Row> rows(records.size);
  std::iota(rows.begin(), rows.end(), Row{0});
  return rows;
}

}  // namespace

KdTree::Level::Level(std::int64_t boxes, const Records& records)
    : number_count(records.number_count()), code_count(records.code_count) {
  const std::int64_t blocks = (boxes + kBlock - 1) / kBlock;
  low.assign(blocks * kBlock * number_count, kInfinity);
  high.assign(blocks * kBlock * number_count, -kInfinity);
  norm.assign(blocks * kBlock, -kInfinity);
  sets.assign(blocks * kBlock * code_count, 0);
  alive.assign(blocks, 0);
}

Boxes KdTree::Level::block(std::int64_t block) const {
  return {low.data() + block * kBlock * number_count, high.data() + block * kBlock * number_count,
          norm.data() + block * kBlock, sets.data() + block * kBlock * code_count};
}

KdTree::KdTree(const Records& records) : KdTree(records, all_rows(records)) {}

KdTree::KdTree(const Records& records, std::vector<Row> rows, std::shared_ptr<SlotMap> slots)
    : records_(records), kernels_(lane_kernels(records.number_count())), slots_(std::move(slots)) {
  if (!slots_) slots_ = std::make_shared<SlotMap>(records.size);
  build(std::move(rows));
}

void KdTree::build(std::vector<Row>&& rows) {
  size_ = static_cast<std::int64_t>(rows.size());
  leaves_ = filled_leaves_ = (size_ + kBlock - 1) / kBlock;
  // Any centre will do; norms bound best from the middle.
  centre_.assign(records_.number_count(), 0.0);
  for (int j = 0; j < records_.number_count(); ++j) {
    for (const Row row : rows) centre_[j] += records_.number(row, j);
    centre_[j] /= static_cast<double>(std::max<std::int64_t>(size_, 1));
  }
  centre_query_ = {centre_.data(), records_.number_count(), nullptr, nullptr, 0};

  order_by_cells(records_, rows);
  store_ = BlockStore(records_, leaves_);
  for (std::int64_t i = 0; i < size_; ++i) {
    if (i + kBlock < size_) records_.prefetch(rows[i + kBlock]);
    store_.put(i, records_, rows[i]);
    (*slots_)[rows[i]] = static_cast<Row>(i);
  }
  counts_.assign(leaves_, kBlock);
  if (leaves_ > 0) counts_.back() = static_cast<std::uint8_t>(size_ - (leaves_ - 1) * kBlock);

  scratch_low_.resize(records_.number_count());
  scratch_high_.resize(records_.number_count());
  levels_.clear();
  if (leaves_ == 0) return;
  for (std::int64_t boxes = leaves_;; boxes = (boxes + kBlock - 1) / kBlock) {
    levels_.emplace_back(boxes, records_);
    if (boxes <= kBlock) break;
  }
  for (std::int64_t leaf = 0; leaf < leaves_; ++leaf) tighten_leaf(leaf);
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    for (std::size_t block = 0; block < levels_[level].alive.size(); ++block) {
      tighten_node(static_cast<int>(level), static_cast<std::int64_t>(block));
    }
  }
}

// Draws the box of a leaf tightly around its records.
void KdTree::tighten_leaf(std::int64_t leaf) {
  Level& level = levels_.front();
  const std::int64_t block = leaf / kBlock;
  const int lane = static_cast<int>(leaf % kBlock);
  const int count = counts_[leaf];
  double* low = level.low.data() + block * kBlock * level.number_count + lane;
  double* high = level.high.data() + block * kBlock * level.number_count + lane;
  if (count == 0) {
    level.alive[block] &= ~(Lanes{1} << lane);
    level.norm[leaf] = -kInfinity;
    for (int j = 0; j < level.number_count; ++j) {
      low[j * kBlock] = kInfinity;
      high[j * kBlock] = -kInfinity;
    }
    for (int j = 0; j < level.code_count; ++j) level.sets[(block * level.code_count + j) * kBlock + lane] = 0;
    return;
  }
  level.alive[block] |= Lanes{1} << lane;
  const double* numbers = store_.numbers(leaf);
  kernels_.extent(numbers, numbers, level.number_count, count, scratch_low_.data(), scratch_high_.data());
  for (int j = 0; j < level.number_count; ++j) {
    low[j * kBlock] = scratch_low_[j];
    high[j * kBlock] = scratch_high_[j];
  }
  alignas(64) double norms[kBlock];
  kernels_.distances(numbers, nullptr, centre_query_, norms);
  level.norm[leaf] = *std::max_element(norms, norms + count);
  const std::int32_t* codes = store_.codes(leaf);
  for (int j = 0; j < level.code_count; ++j) {
    std::uint64_t set = 0;
    for (int i = 0; i < count; ++i) set |= std::uint64_t{1} << (codes[j * kBlock + i] & 63);
    level.sets[(block * level.code_count + j) * kBlock + lane] = set;
  }
}

// Draws the box of node `block` of a level around its children, in the level above. Says whether anything changed.
bool KdTree::tighten_node(int level, std::int64_t block) {
  if (level + 1 == static_cast<int>(levels_.size())) return false;
  const Level& children = levels_[level];
  Level& parents = levels_[level + 1];
  const std::int64_t parent = block / kBlock;
  const int lane = static_cast<int>(block % kBlock);
  bool changed = false;
  const auto assign = [&changed](auto& target, auto value) {
    changed |= target != value;
    target = value;
  };
  assign(parents.alive[parent],
         (parents.alive[parent] & ~(Lanes{1} << lane)) | (Lanes{children.alive[block] != 0} << lane));
  const Boxes boxes = children.block(block);
  kernels_.extent(boxes.low, boxes.high, children.number_count, kBlock, scratch_low_.data(), scratch_high_.data());
  for (int j = 0; j < children.number_count; ++j) {
    assign(parents.low[(parent * children.number_count + j) * kBlock + lane], scratch_low_[j]);
    assign(parents.high[(parent * children.number_count + j) * kBlock + lane], scratch_high_[j]);
  }
  assign(parents.norm[block], *std::max_element(boxes.norm, boxes.norm + kBlock));
  for (int j = 0; j < children.code_count; ++j) {
    std::uint64_t set = 0;
    for (int i = 0; i < kBlock; ++i) set |= boxes.sets[j * kBlock + i];
    assign(parents.sets[(parent * children.code_count + j) * kBlock + lane], set);
  }
  return changed;
}

void KdTree::rebuild() {
  std::vector<Row> rows;
  rows.reserve(size_);
  for_each([&](Row row) { rows.push_back(row); });
  build(std::move(rows));
}

void KdTree::remove(std::span<const Row> rows) {
  touched_.clear();
  for (const Row row : rows) {
    const std::int64_t slot = (*slots_)[row];
    const std::int64_t leaf = slot / kBlock;
    const std::int64_t last = leaf * kBlock + --counts_[leaf];
    if (slot != last) {
      store_.move(last, slot);
      (*slots_)[store_.row(slot)] = static_cast<Row>(slot);
    }
    if (leaf < leaves_) {
      touched_.push_back(leaf);
      filled_leaves_ -= counts_[leaf] == 0;
    }
  }
  size_ -= static_cast<std::int64_t>(rows.size());
  // Half-empty leaves cost little, and records often leave region by region: then their leaves vanish as well.
  if (size_ * 3 < filled_leaves_ * kBlock && leaves_ > kBlock) {
    rebuild();
  } else {
    tighten_touched();
  }
}

void KdTree::tighten_touched() {
  const auto keep_distinct = [this] {
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  };
  std::sort(touched_.begin(), touched_.end());
  keep_distinct();
  for (auto& node : touched_) {
    tighten_leaf(node);
    node /= kBlock;
  }
  for (int level = 0; level + 1 < static_cast<int>(levels_.size()); ++level) {
    keep_distinct();
    std::size_t changed = 0;
    for (const std::int64_t block : touched_) {
      if (tighten_node(level, block)) touched_[changed++] = block / kBlock;
    }
    touched_.resize(changed);
  }
}

void KdTree::insert(Row row) {
  if (block_count() == leaves_ || counts_.back() == kBlock) {
    counts_.push_back(0);
    store_.add_block();
  }
  const std::int64_t slot = (block_count() - 1) * kBlock + counts_.back()++;
  store_.put(slot, records_, row);
  (*slots_)[row] = static_cast<Row>(slot);
  ++size_;
  // A scanned tail costs every question, a rebuild costs n log n: in between lies the square root.
  const auto tail = static_cast<double>((block_count() - leaves_) * kBlock);
  if (tail > 8.0 * kBlock && tail > 8.0 * std::sqrt(static_cast<double>(size_))) rebuild();
}

Query KdTree::query(const Place& place) const {
  return {place.numbers.data(), records_.number_count(), place.codes.data(), records_.code_weights.data(),
          records_.code_count};
}

template <class Collector>
void KdTree::nearest(const Place& place, Collector& collector, Row start) const {
  const Query from = query(place);
  std::int64_t home = -1;
  if (start >= 0) {
    home = (*slots_)[start] / kBlock;
    if (home < block_count()) scan_near(home, from, collector);
  }
  for (std::int64_t block = leaves_; block < block_count(); ++block) {
    if (block != home) scan_near(block, from, collector);
  }
  if (leaves_ > 0) visit_near(static_cast<int>(levels_.size()) - 1, 0, from, collector, home);
}

template void KdTree::nearest(const Place&, Nearest&, Row) const;
template void KdTree::nearest(const Place&, NearestTies&, Row) const;
template void KdTree::nearest(const Place&, BallSurface&, Row) const;

template <class Collector>
void KdTree::visit_near(int level, std::int64_t block, const Query& query, Collector& collector,
                        std::int64_t skip) const {
  alignas(64) double bounds[kBlock];
  const Level& here = levels_[level];
  Lanes lanes = kernels_.near_boxes(here.block(block), query, collector.bound(), bounds) & here.alive[block];
  while (lanes != 0) {
    const std::int64_t child = block * kBlock + take_first(lanes, bounds, std::less<>());
    if (level == 0) prefetch_some(store_, block * kBlock, lanes);
    if (level > 0) {
      visit_near(level - 1, child, query, collector, skip);
    } else if (child != skip) {
      scan_near(child, query, collector);
    }
    lanes &= kernels_.at_most(bounds, collector.bound());
  }
}

template <class Collector>
void KdTree::scan_near(std::int64_t leaf, const Query& query, Collector& collector) const {
  alignas(64) double distances[kBlock];
  Lanes lanes = kernels_.near(store_.numbers(leaf), store_.codes(leaf), query, collector.bound(), distances) &
                first_lanes(counts_[leaf]);
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    collector.offer(distances[lane], store_.row(leaf * kBlock + lane));
  }
}

// With v = x - centre, u = place - centre and any point a of which -u = t (a - centre):
//   |x - place|^2 = |v|^2 + |u|^2 - 2 u.v  and  -2 u.v = t (|v|^2 + |a - centre|^2 - |x - a|^2),  so
//   |x - place|^2 = (1 + t) |v|^2 + |u|^2 + t |a - centre|^2 - t |x - a|^2.
// Inside a box |v|^2 is at most its norm and |x - a|^2 at least the squared gap between a and the box. The bound is
// tight where both are attained at once: a, the antipode, is put as far out as the farthest record.
FarQuery KdTree::far_query(const Place& place, std::vector<double>& antipode) const {
  FarQuery far{query(place), nullptr, 0.0, 0.0, 0.0};
  double norm = 0.0, centre_norm = 0.0;
  for (int j = 0; j < records_.number_count(); ++j) {
    const double difference = place.numbers[j] - centre_[j];
    norm += difference * difference;
    centre_norm += centre_[j] * centre_[j];
  }
  const auto& top = levels_.back().norm;
  const double reach = *std::max_element(top.begin(), top.end());
  // Near the limits of doubles the terms could overflow or lose their bits.
  constexpr double kTiny = 1e-280, kHuge = 1e280;
  if (!(reach > kTiny && reach < kHuge && norm < kHuge && centre_norm < kHuge)) return far;

  const double t = std::sqrt(norm / reach);
  antipode.resize(records_.number_count());
  double antipode_norm = 0.0;
  for (int j = 0; j < records_.number_count(); ++j) {
    antipode[j] = t > 0.0 ? centre_[j] - (place.numbers[j] - centre_[j]) / t : centre_[j];
    antipode_norm += (antipode[j] - centre_[j]) * (antipode[j] - centre_[j]);
  }
  // Each of the d terms of each sum is rounded a few times, the distance that is bounded included, and the rounding of
  // the antipode, of the size of the coordinates themselves, is multiplied by 2 t |v|. The guard covers all of it.
  const double sizes = (1.0 + 3.0 * t) * reach + norm + 3.0 * t * antipode_norm +
                       t * std::sqrt(reach) * (std::sqrt(centre_norm) + std::sqrt(antipode_norm));
  const double guard = (8.0 * records_.number_count() + 64.0) * 0x1p-53 * sizes;
  far.antipode = antipode.data();
  far.growth = 1.0 + t;
  far.base = norm + t * antipode_norm + guard;
  far.slope = t;
  return far;
}

Farthest KdTree::farthest(const Place& place) const {
  Farthest farthest;
  for (std::int64_t block = leaves_; block < block_count(); ++block) scan_far(block, query(place), farthest);
  if (leaves_ > 0) {
    std::vector<double> antipode;
    visit_far(static_cast<int>(levels_.size()) - 1, 0, far_query(place, antipode), farthest);
  }
  return farthest;
}

void KdTree::visit_far(int level, std::int64_t block, const FarQuery& query, Farthest& farthest) const {
  alignas(64) double bounds[kBlock];
  const Level& here = levels_[level];
  Lanes lanes = kernels_.far_boxes(here.block(block), query, farthest.distance, bounds) & here.alive[block];
  while (lanes != 0) {
    const std::int64_t child = block * kBlock + take_first(lanes, bounds, std::greater<>());
    if (level == 0) prefetch_some(store_, block * kBlock, lanes);
    if (level > 0) {
      visit_far(level - 1, child, query, farthest);
    } else {
      scan_far(child, query.query, farthest);
    }
    lanes &= kernels_.at_least(bounds, farthest.distance);
  }
}

void KdTree::scan_far(std::int64_t leaf, const Query& query, Farthest& farthest) const {
  alignas(64) double distances[kBlock];
  Lanes lanes = kernels_.far(store_.numbers(leaf), store_.codes(leaf), query, farthest.distance, distances) &
                first_lanes(counts_[leaf]);
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    farthest.offer(distances[lane], store_.row(leaf * kBlock + lane));
  }
}

}  // namespace shoal

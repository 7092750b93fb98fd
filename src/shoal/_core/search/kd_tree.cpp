#include "search/kd_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "search/kd_order.hpp"
#include "tuning.hpp"

namespace shoal {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<Row> all_rows(const Records& records) {
  std::vector<Row> rows(records.size);
  std::iota(rows.begin(), rows.end(), Row{0});
  return rows;
}

}  // namespace

KdTree::Level::Level(std::int64_t boxes, const Records& records, bool in_bytes)
    : number_count(records.number_count()), code_count(records.code_count) {
  const std::int64_t blocks = (boxes + kBlock - 1) / kBlock;
  if (in_bytes) {
    coded = CodedBlocks(blocks, number_count, 2);
  } else {
    low.assign(blocks * kBlock * number_count, kInfinity);
    high.assign(blocks * kBlock * number_count, -kInfinity);
  }
  norm.assign(blocks * kBlock, -kInfinity);
  sets.assign(blocks * kBlock * code_count, 0);
  alive.assign(blocks, 0);
}

Boxes KdTree::Level::block(std::int64_t block) const {
  const std::int64_t first = low.empty() ? 0 : block * kBlock * number_count;
  return {low.data() + first, high.data() + first, norm.data() + block * kBlock, sets.data() + block * kBlock * code_count};
}

KdTree::KdTree(const Records& records) : KdTree(records, all_rows(records)) {}

KdTree::KdTree(const Records& records, std::vector<Row> rows, std::shared_ptr<SlotMap> slots)
    : records_(records), kernels_(lane_kernels(records.number_count())), slots_(std::move(slots)) {
  coded_ = records.number_count() > tuning::kFewNumbers;
  if (!slots_) slots_ = std::make_shared<SlotMap>(records.size);
  build(std::move(rows));
}

void KdTree::build(std::vector<Row>&& rows) {
  size_ = static_cast<std::int64_t>(rows.size());
  leaves_ = filled_leaves_ = (size_ + kBlock - 1) / kBlock;
  sketch_ = std::make_unique<Sketch>(records_, rows);
  store_ = BlockStore(records_, leaves_);
  if (coded_) {
    coded_leaves_ = CodedBlocks(leaves_, records_.number_count(), 1);
    norms_.assign(leaves_ * kBlock, 0.0F);
  }
  scratch_low_.resize(records_.number_count());
  scratch_high_.resize(records_.number_count());
  scratch_least_.resize(records_.number_count());
  scratch_greatest_.resize(records_.number_count());
  const auto put = [this](std::int64_t block, const Records& source, std::span<const Row> indexes,
                          std::span<const Row> block_rows) {
    store_.put_block(block, source, indexes, block_rows);
    for (std::size_t i = 0; i < block_rows.size(); ++i) {
      (*slots_)[block_rows[i]] = static_cast<Row>(block * kBlock + static_cast<std::int64_t>(i));
    }
  };
  order_by_cells(records_, std::move(rows), put);
  counts_.assign(leaves_, kBlock);
  if (leaves_ > 0) counts_.back() = static_cast<std::uint8_t>(size_ - (leaves_ - 1) * kBlock);

  levels_.clear();
  exact_.clear();
  built_size_ = size_;
  if (leaves_ == 0) return;
  const bool exactly = images_say_little();
  for (std::int64_t boxes = leaves_;; boxes = (boxes + kBlock - 1) / kBlock) {
    levels_.emplace_back(boxes, records_, coded_);
    if (exactly) exact_.emplace_back(boxes, records_);
    if (boxes <= kBlock) break;
  }
  if (coded_) {
    for (std::int64_t leaf = 0; leaf < leaves_; ++leaf) code_leaf(leaf);
    draw_frames();
  }
  for (std::int64_t leaf = 0; leaf < leaves_; ++leaf) tighten_leaf(leaf);
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    for (std::size_t block = 0; block < levels_[level].alive.size(); ++block) {
      tighten_node(static_cast<int>(level), static_cast<std::int64_t>(block));
    }
  }
  find_reach();
}

// Whether leaves are mostly smaller than what floats can tell apart, by a sample.
bool KdTree::images_say_little() const {
  if (records_.number_count() == 0) return true;
  const std::int64_t step = std::max<std::int64_t>(1, leaves_ / tuning::kLeafSample);
  std::int64_t blurred = 0, looked_at = 0;
  for (std::int64_t leaf = 0; leaf < leaves_; leaf += step, ++looked_at) {
    double extent = 0.0;
    for (int j = 0; j < records_.number_count(); ++j) {
      const double* numbers = store_.numbers(leaf) + j * kBlock;
      const auto [least, greatest] = std::minmax_element(numbers, numbers + counts_[leaf]);
      extent = std::max(extent, *greatest - *least);
    }
    blurred += extent > 0.0 && sketch_->blurs(extent);
  }
  return 4 * blurred > looked_at;
}

void KdTree::find_reach() {
  const auto& top = levels_.back().norm;
  reach_ = *std::max_element(top.begin(), top.end());
}

// Codes the images of a leaf's records in a frame around them.
void KdTree::code_leaf(std::int64_t leaf) {
  const int number_count = records_.number_count();
  images_.resize(kBlock * number_count);
  sketch_->draw(store_.numbers(leaf), images_.data());
  kernels_.extent(images_.data(), images_.data(), number_count, counts_[leaf], scratch_low_.data(),
                  scratch_high_.data());
  coded_leaves_.frame(leaf, scratch_low_.data(), scratch_high_.data());
  coded_leaves_.put_images(leaf, images_.data());
  float* norms = norms_.data() + leaf * kBlock;
  std::fill(norms, norms + kBlock, 0.0F);
  for (int j = 0; j < number_count; ++j) {
    const float* image = images_.data() + j * kBlock;
    for (int i = 0; i < kBlock; ++i) norms[i] += image[i] * image[i];
  }
}

// Puts into scratch the box around the first `count` lanes of a coded block, and a margin, in steps.
void KdTree::decode_box(const CodedBlock& block, const std::uint8_t* high, int count, float margin) {
  const int number_count = records_.number_count();
  kernels_.coded_extent(block.codes, high, number_count, count, scratch_least_.data(), scratch_greatest_.data());
  for (int j = 0; j < number_count; ++j) {
    scratch_low_[j] = block.low[j] + block.step * (static_cast<float>(scratch_least_[j]) - margin);
    scratch_high_[j] = block.low[j] + block.step * (static_cast<float>(scratch_greatest_[j]) + margin);
  }
}

// Puts the box of a leaf into scratch.
void KdTree::extent_of_leaf(std::int64_t leaf) {
  const CodedBlock block = coded_leaves_[leaf];
  decode_box(block, block.codes, counts_[leaf], CodedBlocks::kHalf);
}

// Draws the frame of every node around the boxes of its children.
void KdTree::draw_frames() {
  const int number_count = records_.number_count();
  std::vector<float> low(leaves_ * number_count), high(leaves_ * number_count);
  for (std::int64_t leaf = 0; leaf < leaves_; ++leaf) {
    extent_of_leaf(leaf);
    std::copy(scratch_low_.begin(), scratch_low_.end(), low.begin() + leaf * number_count);
    std::copy(scratch_high_.begin(), scratch_high_.end(), high.begin() + leaf * number_count);
  }
  std::int64_t boxes = leaves_;
  for (Level& level : levels_) {
    const auto blocks = static_cast<std::int64_t>(level.alive.size());
    for (std::int64_t block = 0; block < blocks; ++block) {
      float* least = low.data() + block * number_count;  // in place: children stand at or behind their parent
      float* greatest = high.data() + block * number_count;
      const std::int64_t first = block * kBlock, last = std::min(first + kBlock, boxes);
      for (int j = 0; j < number_count; ++j) {
        float under = kInfinity, over = -kInfinity;
        for (std::int64_t box = first; box < last; ++box) {
          under = std::min(under, low[box * number_count + j]);
          over = std::max(over, high[box * number_count + j]);
        }
        least[j] = under;
        greatest[j] = over;
      }
      level.coded.frame(block, least, greatest);
      for (std::int64_t box = first; box < first + kBlock; ++box) level.coded.put_nothing(box);
    }
    boxes = blocks;
  }
}

// Draws the box of a leaf tightly around its records.
void KdTree::tighten_leaf(std::int64_t leaf) {
  Level& level = levels_.front();
  const std::int64_t block = leaf / kBlock;
  const int lane = static_cast<int>(leaf % kBlock);
  const int count = counts_[leaf];
  float* low = level.low.data() + block * kBlock * level.number_count + lane;
  float* high = level.high.data() + block * kBlock * level.number_count + lane;
  if (count == 0) {
    level.alive[block] &= ~(Lanes{1} << lane);
    level.norm[leaf] = -kInfinity;
    if (coded_) level.coded.put_nothing(leaf);
    for (int j = 0; !coded_ && j < level.number_count; ++j) {
      low[j * kBlock] = kInfinity;
      high[j * kBlock] = -kInfinity;
    }
    for (int j = 0; j < level.code_count; ++j) level.sets[(block * level.code_count + j) * kBlock + lane] = 0;
    if (!exact_.empty()) exact_.front().draw_leaf(leaf, store_, count);
    return;
  }
  level.alive[block] |= Lanes{1} << lane;
  if (coded_) {
    extent_of_leaf(leaf);
    level.coded.put_box(leaf, scratch_low_.data(), scratch_high_.data());
    level.norm[leaf] = *std::max_element(norms_.data() + leaf * kBlock, norms_.data() + leaf * kBlock + count);
  } else {
    alignas(64) float images[tuning::kFewNumbers * kBlock];
    sketch_->draw(store_.numbers(leaf), images);
    kernels_.extent(images, images, level.number_count, count, scratch_low_.data(), scratch_high_.data());
    for (int j = 0; j < level.number_count; ++j) {
      low[j * kBlock] = scratch_low_[j];
      high[j * kBlock] = scratch_high_[j];
    }
    level.norm[leaf] = kernels_.greatest_norm(images, level.number_count, count);
  }
  const std::int32_t* codes = store_.codes(leaf);
  for (int j = 0; j < level.code_count; ++j) {
    std::uint64_t set = 0;
    for (int i = 0; i < count; ++i) set |= std::uint64_t{1} << (codes[j * kBlock + i] & 63);
    level.sets[(block * level.code_count + j) * kBlock + lane] = set;
  }
  if (!exact_.empty()) exact_.front().draw_leaf(leaf, store_, count);
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
  if (coded_ && children.alive[block] == 0) {
    parents.coded.put_nothing(block);
  } else if (coded_) {
    const CodedBlock coded = children.coded[block];
    decode_box(coded, coded.codes + children.number_count * kBlock, kBlock, 0.0F);
    changed |= parents.coded.put_box(block, scratch_low_.data(), scratch_high_.data());
  } else {
    kernels_.extent(boxes.low, boxes.high, children.number_count, kBlock, scratch_low_.data(), scratch_high_.data());
    for (int j = 0; j < children.number_count; ++j) {
      assign(parents.low[(parent * children.number_count + j) * kBlock + lane], scratch_low_[j]);
      assign(parents.high[(parent * children.number_count + j) * kBlock + lane], scratch_high_[j]);
    }
  }
  assign(parents.norm[block], *std::max_element(boxes.norm, boxes.norm + kBlock));
  for (int j = 0; j < children.code_count; ++j) {
    std::uint64_t set = 0;
    for (int i = 0; i < kBlock; ++i) set |= boxes.sets[j * kBlock + i];
    assign(parents.sets[(parent * children.code_count + j) * kBlock + lane], set);
  }
  if (!exact_.empty()) changed |= exact_[level + 1].draw_node(block, exact_[level]);
  return changed;
}

void KdTree::rebuild() {
  std::vector<Row> rows;
  rows.reserve(size_);
  for_each([&](Row row) { rows.push_back(row); });
  store_ = {};  // before the new one needs room
  coded_leaves_ = {};
  levels_.clear();
  exact_.clear();
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
      if (coded_ && leaf < leaves_) {
        coded_leaves_.move(leaf, static_cast<int>(last % kBlock), static_cast<int>(slot % kBlock));
        norms_[slot] = norms_[last];
      }
      (*slots_)[store_.row(slot)] = static_cast<Row>(slot);
    }
    if (leaf < leaves_) {
      touched_.push_back(leaf);
      filled_leaves_ -= counts_[leaf] == 0;
    }
  }
  size_ -= static_cast<std::int64_t>(rows.size());
  // Records often leave region by region: then their leaves vanish as well, and those that stay are full. Half-empty
  // leaves cost little where few are visited. But far records are bounded by how far out they are from the centre that
  // the tree was built around, and the average of half of the records may be elsewhere: skewed tables, as the corners
  // that Spark cuts, take MDAV half the time for being centred anew, and symmetric ones no more.
  const std::int64_t patience = coded_ ? 2 : 3;
  const bool off_centre = 2 * size_ < built_size_;
  if (leaves_ > kBlock && (off_centre || size_ * patience < filled_leaves_ * kBlock || sees_little())) {
    rebuild();
  } else {
    tighten_touched();
  }
}

// Whether those that were far away have left: images of the others say more once they are drawn anew.
bool KdTree::sees_little() const {
  return !exact_.empty() && records_.number_count() > 0 && reach_ < 0x1p-16 &&
         size_ < built_size_ - built_size_ / kBlock;
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
  if (leaves_ > 0) find_reach();
}

void KdTree::insert(Row row) {
  if (block_count() == leaves_ || counts_.back() == kBlock) {
    counts_.push_back(0);
    store_.add_block();
  }
  const std::int64_t slot = (block_count() - 1) * kBlock + counts_.back()++;
  store_.put(slot, records_, row, row);
  (*slots_)[row] = static_cast<Row>(slot);
  ++size_;
  const auto tail = static_cast<double>((block_count() - leaves_) * kBlock);
  if (tail > 8.0 * kBlock && tail > tuning::kTail * std::sqrt(static_cast<double>(size_))) rebuild();
}

}  // namespace shoal

// Boxes around the records themselves, for records that images in floats cannot tell apart.
//
// Where a few records lie far away from all others, the images of the others are one point; and records of nothing but
// codes are equally far from each other most of the time. Then a sketch rules nobody out, and every question would go over
// all records. These boxes are in doubles: the least and greatest number and code of each attribute, and the lowest row.
// A bound is added attribute by attribute in the order of squared_distance, and rounding keeps order, so it is
// never on the wrong side of the distance of a record inside, by no bit. It may therefore meet it: among equals the lowest
// row goes first, and a box without a lower row is left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "search/block_store.hpp"
#include "search/lanes.hpp"
#include "search/lines.hpp"
#include "search/records.hpp"

namespace shoal {

// The boxes of one level of a tree, 32 to a block.
class ExactBoxes {
 public:
  ExactBoxes(std::int64_t boxes, const Records& records)
      : number_count_(records.number_count()), code_count_(records.code_count) {
    const std::int64_t lanes = (boxes + kBlock - 1) / kBlock * kBlock;
    low_.assign(lanes * number_count_, kInfinity);
    high_.assign(lanes * number_count_, -kInfinity);
    least_.assign(lanes * code_count_, kNoLeast);
    greatest_.assign(lanes * code_count_, kNoGreatest);
    lowest_.assign(lanes, kNobody);
  }

  // The lowest row of each box of a block.
  const Row* lowest(std::int64_t block) const { return lowest_.data() + block * kBlock; }

  // Draws a box around the first records of a block. Says whether it changed.
  bool draw_leaf(std::int64_t leaf, const BlockStore& store, int count) {
    return draw(leaf, store.numbers(leaf), store.numbers(leaf), store.codes(leaf), store.codes(leaf),
                [&](int i) { return store.row(leaf * kBlock + i); }, count);
  }

  // Draws a box around those of a block of the level below. Says whether it changed.
  bool draw_node(std::int64_t block, const ExactBoxes& below) {
    const std::int64_t numbers = block * kBlock * number_count_, codes = block * kBlock * code_count_;
    return draw(block, below.low_.data() + numbers, below.high_.data() + numbers, below.least_.data() + codes,
                below.greatest_.data() + codes, [&](int i) { return below.lowest(block)[i]; }, kBlock);
  }

  // The least squared distance that a record of each box can have from the place.
  void near(std::int64_t block, const Query& from, const std::uint64_t* sets, double* out) const {
    std::fill(out, out + kBlock, 0.0);
    for (int j = 0; j < number_count_; ++j) {
      const double* low = low_.data() + (block * number_count_ + j) * kBlock;
      const double* high = high_.data() + (block * number_count_ + j) * kBlock;
      for (int i = 0; i < kBlock; ++i) {
        const double gap = std::max(std::max(low[i] - from.numbers[j], from.numbers[j] - high[i]), 0.0);
        out[i] += gap * gap;
      }
    }
    for (int j = 0; j < code_count_; ++j) {
      const std::int32_t* least = least_.data() + (block * code_count_ + j) * kBlock;
      const std::int32_t* greatest = greatest_.data() + (block * code_count_ + j) * kBlock;
      const std::int32_t code = from.codes[j];
      const std::uint64_t bit = std::uint64_t{1} << (code & 63);
      const std::uint64_t* set = sets + j * kBlock;
      for (int i = 0; i < kBlock; ++i) {
        const bool there = (least[i] <= code) & (code <= greatest[i]) & ((set[i] & bit) != 0);
        out[i] += there ? 0.0 : from.code_weights[j];
      }
    }
  }

  // The greatest.
  void far(std::int64_t block, const Query& from, double* out) const {
    std::fill(out, out + kBlock, 0.0);
    for (int j = 0; j < number_count_; ++j) {
      const double* low = low_.data() + (block * number_count_ + j) * kBlock;
      const double* high = high_.data() + (block * number_count_ + j) * kBlock;
      for (int i = 0; i < kBlock; ++i) {
        const double reach = std::max(from.numbers[j] - low[i], high[i] - from.numbers[j]);
        out[i] += reach * reach;
      }
    }
    for (int j = 0; j < code_count_; ++j) {
      const std::int32_t* least = least_.data() + (block * code_count_ + j) * kBlock;
      const std::int32_t* greatest = greatest_.data() + (block * code_count_ + j) * kBlock;
      for (int i = 0; i < kBlock; ++i) {
        const bool alone = (least[i] == from.codes[j]) & (greatest[i] == from.codes[j]);
        out[i] += alone ? 0.0 : from.code_weights[j];
      }
    }
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr std::int32_t kNoLeast = std::numeric_limits<std::int32_t>::max(), kNoGreatest = -1;
  static constexpr Row kNobody = std::numeric_limits<Row>::max();

  template <class RowAt>
  bool draw(std::int64_t box, const double* low, const double* high, const std::int32_t* least,
            const std::int32_t* greatest, RowAt row_at, int count) {
    const std::int64_t block = box / kBlock, lane = box % kBlock;
    bool changed = false;
    const auto assign = [&changed](auto& target, auto value) {
      changed |= target != value;
      target = value;
    };
    for (int j = 0; j < number_count_; ++j, low += kBlock, high += kBlock) {
      assign(low_[(block * number_count_ + j) * kBlock + lane], least_of(low, count, kInfinity));
      assign(high_[(block * number_count_ + j) * kBlock + lane], greatest_of(high, count, -kInfinity));
    }
    for (int j = 0; j < code_count_; ++j, least += kBlock, greatest += kBlock) {
      assign(least_[(block * code_count_ + j) * kBlock + lane], least_of(least, count, kNoLeast));
      assign(greatest_[(block * code_count_ + j) * kBlock + lane], greatest_of(greatest, count, kNoGreatest));
    }
    Row lowest = kNobody;
    for (int i = 0; i < count; ++i) lowest = std::min(lowest, row_at(i));
    assign(lowest_[box], lowest);
    return changed;
  }

  template <class T>
  static T least_of(const T* values, int count, T none) {
    for (int i = 0; i < count; ++i) none = std::min(none, values[i]);
    return none;
  }
  template <class T>
  static T greatest_of(const T* values, int count, T none) {
    for (int i = 0; i < count; ++i) none = std::max(none, values[i]);
    return none;
  }

  int number_count_, code_count_;
  Lines<double> low_, high_;
  Lines<std::int32_t> least_, greatest_;  // codes
  Lines<Row> lowest_;
};

}  // namespace shoal

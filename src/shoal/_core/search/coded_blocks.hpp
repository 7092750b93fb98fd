// Blocks of 32 images, or of 32 boxes around images, in one byte per number: a quarter of the memory of floats.
//
// A search among many numbers waits for memory more than it computes. What it reads to rule records out is therefore
// coded: every block has a frame, the least of each number in it and one step for all of them, and a number of the
// block is the count of steps, 0 to 255, from the least. The frame is drawn once, around what the block holds when the
// tree is built; what remains as records leave stays inside.
//
// How far codes can be off. The code of an image is rounded to the nearest, so an image is within kHalf steps of what
// its code says, in each number (a little more than a half: the count itself is computed in floats). Corners of boxes
// are rounded outwards, so a box only grows. Adding up low + step * code in floats, and measuring from a place in steps of
// the frame, costs some 2^-24 of the sizes of numbers each time; error_of_sizes() is generous about all of them together.
// Limits are widened by these errors (KdTree), so a code, like a sketch, can never change an answer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "platform.hpp"
#include "search/lanes.hpp"
#include "search/lines.hpp"

namespace shoal {

class CodedBlocks {
 public:
  CodedBlocks() = default;

  // `runs`: codes of each number in a lane, one of an image and two of a box, whose lower corners stand before the upper.
  CodedBlocks(std::int64_t blocks, int number_count, int runs)
      : number_count_(number_count),
        error_(kHalf * std::sqrt(static_cast<double>(number_count))),
        slack_((number_count + 8) * 0x1p-23),
        codes_at_((number_count + 2 + kLine - 1) / kLine * kLine),
        stride_(codes_at_ + (runs * number_count * kBlock / kFloat + kLine - 1) / kLine * kLine),
        values_(static_cast<std::size_t>(blocks * stride_), 0.0F) {}

  // Sets the frame of a block around all numbers from `low` to `high`.
  void frame(std::int64_t block, const float* low, const float* high) {
    float* values = values_.data() + block * stride_;
    float extent = 0.0F;
    for (int j = 0; j < number_count_; ++j) {
      values[j] = low[j];
      extent = std::max(extent, high[j] - low[j]);
    }
    const float step = std::max(extent / kGreatest * (1.0F + 0x1p-20F), kLeastStep);  // 255 steps reach `high`
    values[number_count_] = step;
    values[number_count_ + 1] = 1.0F / step;
  }

  CodedBlock operator[](std::int64_t block) const {
    const float* values = values_.data() + block * stride_;
    return {values, values[number_count_], values[number_count_ + 1],
            reinterpret_cast<const std::uint8_t*>(values + codes_at_)};
  }

  // Codes the images of a block, `number_count` runs of 32.
  void put_images(std::int64_t block, const float* images) {
    const CodedBlock to = (*this)[block];
    std::uint8_t* out = codes(block);
    for (int j = 0; j < number_count_; ++j) {
      for (int i = 0; i < kBlock; ++i) {
        const float steps = (images[j * kBlock + i] - to.low[j]) * to.inverse + 0.5F;
        out[j * kBlock + i] = static_cast<std::uint8_t>(std::clamp(steps, 0.0F, kGreatest));
      }
    }
  }

  // Moves the codes of one image to another lane of its block.
  void move(std::int64_t block, int from, int to) {
    std::uint8_t* lane = codes(block);
    for (int j = 0; j < number_count_; ++j) lane[j * kBlock + to] = lane[j * kBlock + from];
  }

  // Codes a box, rounded outwards; it must lie in the frame. Says whether it changed.
  bool put_box(std::int64_t box, const float* low, const float* high) {
    const CodedBlock to = (*this)[box / kBlock];
    std::uint8_t* out = codes(box / kBlock) + box % kBlock;
    bool changed = false;
    for (int j = 0; j < number_count_; ++j) {
      const float under = std::floor((low[j] - to.low[j]) * to.inverse - kMargin);
      const float over = std::ceil((high[j] - to.low[j]) * to.inverse + kMargin);
      changed |= assign(out[j * kBlock], under) | assign(out[(number_count_ + j) * kBlock], over);
    }
    return changed;
  }

  // A box around nothing. Leaves those around it in peace: its lower corner is the greatest, its upper the least.
  void put_nothing(std::int64_t box) {
    std::uint8_t* out = codes(box / kBlock) + box % kBlock;
    for (int j = 0; j < number_count_; ++j) {
      out[j * kBlock] = static_cast<std::uint8_t>(kGreatest);
      out[(number_count_ + j) * kBlock] = 0;
    }
  }

  void fetch(std::int64_t block) const { prefetch(values_.data() + block * stride_, stride_); }

  // The greatest squared distance from codes of an image whose distance is `root`; the least.
  float wider(double root, float step) const {
    const double reach = root + error_ * step;
    return static_cast<float>(reach * reach * (1.0 + slack_));
  }
  float narrower(double root, float step) const {
    const double reach = root - error_ * step;
    return reach <= 0.0 ? 0.0F : static_cast<float>(reach * reach * (1.0 - slack_));
  }

  // What rounding in floats can do to a distance, in units of what a sketch allows for it (Sketch::eta).
  // Numbers of corners are no greater than the sizes, so a corner is at most the root of number_count times as far out.
  static double error_of_sizes(int number_count) { return 16.0 * std::sqrt(static_cast<double>(number_count)); }

  static constexpr float kHalf = 0.501F;

 private:
  static constexpr int kFloat = sizeof(float), kLine = kCacheLine / kFloat;
  static constexpr float kGreatest = 255.0F;
  static constexpr float kMargin = 1e-3F;         // of a step: what floats lose in counting up to 255 of them is less
  static constexpr float kLeastStep = 0x1p-24F;   // images, within [-1, 1], are no finer

  std::uint8_t* codes(std::int64_t block) {
    return reinterpret_cast<std::uint8_t*>(values_.data() + block * stride_ + codes_at_);
  }

  static bool assign(std::uint8_t& target, float steps) {
    const auto code = static_cast<std::uint8_t>(std::clamp(steps, 0.0F, kGreatest));
    const bool changed = target != code;
    target = code;
    return changed;
  }

  int number_count_ = 0;
  double error_ = 0.0;  // greatest distance of an image from what its codes say, in steps
  double slack_ = 0.0;  // relative error of a sum over the numbers, in floats
  std::int64_t codes_at_ = 0, stride_ = 0;  // in floats: where codes stand in a block, and from block to block
  Lines<float> values_;                     // of each block: low of each number, step, 1 / step, then the codes
};

}  // namespace shoal

// Records in blocks of 32, column-major inside a block: the layout that lanes.hpp reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "platform.hpp"
#include "search/lanes.hpp"
#include "search/lines.hpp"
#include "search/records.hpp"
#include "search/sketch.hpp"

namespace shoal {

class BlockStore {
 public:
  BlockStore() = default;

  // With a sketch, which must outlive the store, the images of the records stand beside them. Records are copied.
  BlockStore(const Records& records, std::int64_t blocks, const Sketch* sketch = nullptr)
      : sketch_(sketch),
        number_count_(records.number_count()),
        code_count_(records.code_count),
        numbers_(static_cast<std::size_t>(blocks) * kBlock * number_count_),
        codes_(static_cast<std::size_t>(blocks) * kBlock * code_count_),
        rows_(static_cast<std::size_t>(blocks) * kBlock),
        images_(sketch != nullptr ? numbers_.size() : 0) {}

  void add_block() {
    numbers_.resize(numbers_.size() + kBlock * number_count_);
    codes_.resize(codes_.size() + kBlock * code_count_);
    rows_.resize(rows_.size() + kBlock);
    if (sketch_ != nullptr) images_.resize(numbers_.size());
  }

  // Slot s is lane s % 32 of block s / 32. The values of `row` stand at `index` of the records.
  void put(std::int64_t slot, const Records& records, std::int64_t index, Row row) {
    rows_[slot] = row;
    double* number = numbers_.data() + (slot / kBlock) * kBlock * number_count_ + slot % kBlock;
    for (int j = 0; j < number_count_; ++j) number[j * kBlock] = records.number(index, j);
    std::int32_t* code = codes_.data() + (slot / kBlock) * kBlock * code_count_ + slot % kBlock;
    for (int j = 0; j < code_count_; ++j) code[j * kBlock] = records.code(index, j);
    if (sketch_ == nullptr) return;
    float* image = images_.data() + (number - numbers_.data());
    for (int j = 0; j < number_count_; ++j) image[j * kBlock] = sketch_->image(number[j * kBlock], j);
  }

  // A block at once: the values of rows[i] stand at indexes[i] of the records.
  void put_block(std::int64_t block, const Records& records, std::span<const Row> indexes, std::span<const Row> rows) {
    std::copy(rows.begin(), rows.end(), rows_.begin() + block * kBlock);
    double* number = numbers_.data() + block * kBlock * number_count_;
    for (int j = 0; j < number_count_; ++j, number += kBlock) {
      for (std::size_t i = 0; i < indexes.size(); ++i) number[i] = records.number(indexes[i], j);
    }
    std::int32_t* code = codes_.data() + block * kBlock * code_count_;
    for (int j = 0; j < code_count_; ++j, code += kBlock) {
      for (std::size_t i = 0; i < indexes.size(); ++i) code[i] = records.code(indexes[i], j);
    }
    if (sketch_ != nullptr) sketch_->draw(numbers(block), images_.data() + block * kBlock * number_count_);
  }

  void get(std::int64_t slot, Place& place) const {
    const double* number = numbers(slot / kBlock) + slot % kBlock;
    for (int j = 0; j < number_count_; ++j) place.numbers[j] = number[j * kBlock];
    const std::int32_t* code = codes(slot / kBlock) + slot % kBlock;
    for (int j = 0; j < code_count_; ++j) place.codes[j] = code[j * kBlock];
  }

  void move(std::int64_t from, std::int64_t to) {
    rows_[to] = rows_[from];
    if (sketch_ != nullptr) {
      const float* image = images(from / kBlock) + from % kBlock;
      float* moved = images_.data() + (to / kBlock) * kBlock * number_count_ + to % kBlock;
      for (int j = 0; j < number_count_; ++j) moved[j * kBlock] = image[j * kBlock];
    }
    const double* source = numbers_.data() + (from / kBlock) * kBlock * number_count_ + from % kBlock;
    double* target = numbers_.data() + (to / kBlock) * kBlock * number_count_ + to % kBlock;
    for (int j = 0; j < number_count_; ++j) target[j * kBlock] = source[j * kBlock];
    const std::int32_t* source_code = codes_.data() + (from / kBlock) * kBlock * code_count_ + from % kBlock;
    std::int32_t* target_code = codes_.data() + (to / kBlock) * kBlock * code_count_ + to % kBlock;
    for (int j = 0; j < code_count_; ++j) target_code[j * kBlock] = source_code[j * kBlock];
  }

  // Asks for what a search reads first of a block.
  void fetch(std::int64_t block) const {
    if (sketch_ != nullptr) {
      prefetch(images(block), kBlock * number_count_);
    } else {
      prefetch(numbers(block), kBlock * number_count_);
      prefetch(rows_.data() + block * kBlock, kBlock);
    }
    prefetch(codes(block), kBlock * code_count_);
  }

  Row row(std::int64_t slot) const { return rows_[slot]; }
  void relabel(std::int64_t slot, Row row) { rows_[slot] = row; }
  const double* numbers() const { return numbers_.data(); }
  const std::int32_t* codes() const { return codes_.data(); }
  const float* images() const { return images_.data(); }
  const float* images(std::int64_t block) const { return images_.data() + block * kBlock * number_count_; }
  const double* numbers(std::int64_t block) const { return numbers_.data() + block * kBlock * number_count_; }
  const std::int32_t* codes(std::int64_t block) const { return codes_.data() + block * kBlock * code_count_; }

 private:
  const Sketch* sketch_ = nullptr;
  int number_count_ = 0;
  int code_count_ = 0;
  Lines<double> numbers_;
  Lines<std::int32_t> codes_;
  Lines<Row> rows_;
  Lines<float> images_;
};

}  // namespace shoal

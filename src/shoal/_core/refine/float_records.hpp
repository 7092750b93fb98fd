// Records in single precision: distances that need not be exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "refine/four.hpp"
#include "search/lines.hpp"
#include "search/records.hpp"

namespace shoal::refine {

class FloatRecords {
 public:
  // The rows given, at places in their order, around the average one; `unit` is that of squared distances.
  FloatRecords(const Records& records, std::span<const Row> rows, double unit)
      : size_(rows.size()),
        width_((std::max(records.number_count(), 1) + kLanes - 1) / kLanes * kLanes),
        code_count_(records.code_count),
        numbers_(size_ * width_),
        codes_(size_ * code_count_) {
    const double scale = 1.0 / std::sqrt(unit);
    for (int j = 0; j < records.number_count(); ++j) {
      double centre = 0.0;
      for (const Row row : rows) centre += records.number(row, j) / static_cast<double>(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        numbers_[i * width_ + j] = static_cast<float>((records.number(rows[i], j) - centre) * scale);
      }
    }
    for (int j = 0; j < code_count_; ++j) {
      weights_.push_back(static_cast<float>(records.code_weights[j] / unit));
      for (std::size_t i = 0; i < rows.size(); ++i) codes_[i * code_count_ + j] = records.code(rows[i], j);
    }
  }

  std::int64_t size() const { return static_cast<std::int64_t>(size_); }

  // Squared, in units.
  float apart(std::int64_t a, std::int64_t b) const {
    Four sum = four_of(0.0F);
    for (int j = 0; j < width_; j += kLanes) {
      const Four v = load(numbers_.data() + a * width_ + j) - load(numbers_.data() + b * width_ + j);
      sum = sum + v * v;
    }
    float distance = total(sum);
    for (int j = 0; j < code_count_; ++j) {
      if (codes_[a * code_count_ + j] != codes_[b * code_count_ + j]) distance += weights_[j];
    }
    return distance;
  }

  std::span<const float> numbers(std::int64_t place) const {
    return {numbers_.data() + place * width_, static_cast<std::size_t>(width_)};
  }
  std::span<const std::int32_t> codes(std::int64_t place) const {
    return {codes_.data() + place * code_count_, static_cast<std::size_t>(code_count_)};
  }
  std::span<const float> code_weights() const { return weights_; }

 private:
  std::size_t size_;
  int width_, code_count_;
  Lines<float> numbers_;
  std::vector<std::int32_t> codes_;
  std::vector<float> weights_;
};

}  // namespace shoal::refine

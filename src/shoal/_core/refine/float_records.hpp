// Records, or the averages of groups of them, in single precision: distances that need not be exact.
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
      : FloatRecords(rows.size(), records.number_count(), records.code_count) {
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

  // Averages of groups: members[starts[g]] to members[starts[g + 1] - 1] are the places of group g. Of codes, which have
  // no average, those of the first.
  FloatRecords(const FloatRecords& all, std::span<const std::int32_t> members, std::span<const std::int32_t> starts)
      : FloatRecords(starts.size() - 1, all.width_, all.code_count_) {
    weights_ = all.weights_;
    for (std::size_t group = 0; group + 1 < starts.size(); ++group) {
      const auto own = members.subspan(starts[group], starts[group + 1] - starts[group]);
      float* const average = numbers_.data() + group * width_;
      for (const std::int32_t place : own) {
        for (int j = 0; j < width_; ++j) average[j] += all.numbers_[static_cast<std::size_t>(place) * width_ + j];
      }
      for (int j = 0; j < width_; ++j) average[j] /= static_cast<float>(own.size());
      std::copy_n(all.codes_.begin() + static_cast<std::int64_t>(own[0]) * code_count_, code_count_,
                  codes_.begin() + static_cast<std::int64_t>(group) * code_count_);
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

 private:
  FloatRecords(std::size_t size, int numbers, int codes)
      : size_(size),
        width_((std::max(numbers, 1) + kLanes - 1) / kLanes * kLanes),
        code_count_(codes),
        numbers_(size * width_),
        codes_(size * codes) {}

  std::size_t size_;
  int width_, code_count_;
  Lines<float> numbers_;
  std::vector<std::int32_t> codes_;
  std::vector<float> weights_;
};

}  // namespace shoal::refine

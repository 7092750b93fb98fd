// The rows of each group, from labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shoal {

class Groups {
 public:
  Groups(std::span<const std::int64_t> labels, std::int64_t count) : starts_(count + 1, 0), rows_(labels.size()) {
    for (const std::int64_t label : labels) ++starts_[label + 1];
    for (std::int64_t group = 0; group < count; ++group) starts_[group + 1] += starts_[group];
    std::vector<std::int64_t> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t row = 0; row < labels.size(); ++row) rows_[next[labels[row]]++] = static_cast<std::int32_t>(row);
  }

  std::int64_t size() const { return static_cast<std::int64_t>(starts_.size()) - 1; }

  // In increasing order.
  std::span<const std::int32_t> operator[](std::int64_t group) const {
    return std::span(rows_).subspan(starts_[group], starts_[group + 1] - starts_[group]);
  }

 private:
  std::vector<std::int64_t> starts_;
  std::vector<std::int32_t> rows_;
};

}  // namespace shoal

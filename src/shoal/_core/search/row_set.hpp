// A set of rows that finds the next one in their order: a bit for each, and a bit for each word of 64 that is not empty.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/records.hpp"

namespace shoal {

class RowSet {
 public:
  // A set without rows, with room for those below `size`.
  explicit RowSet(std::int64_t size) {
    do {
      size = (size + kWord - 1) / kWord;
      levels_.emplace_back(size, 0);
    } while (size > 1);
  }

  void add(Row row) {
    std::int64_t at = row;
    for (auto& level : levels_) {
      level[at / kWord] |= std::uint64_t{1} << (at % kWord);
      at /= kWord;
    }
  }

  void remove(Row row) {
    std::int64_t at = row;
    for (auto& level : levels_) {
      level[at / kWord] &= ~(std::uint64_t{1} << (at % kWord));
      if (level[at / kWord] != 0) return;
      at /= kWord;
    }
  }

  // The lowest row from `at` on, or -1.
  Row from(std::int64_t at) const {
    for (std::size_t level = 0; level < levels_.size(); ++level, at = at / kWord + 1) {
      if (at / kWord >= static_cast<std::int64_t>(levels_[level].size())) return -1;
      const std::uint64_t word = levels_[level][at / kWord] >> (at % kWord);
      if (word == 0) continue;
      at += std::countr_zero(word);
      while (level > 0) at = at * kWord + std::countr_zero(levels_[--level][at]);
      return static_cast<Row>(at);
    }
    return -1;
  }

 private:
  static constexpr std::int64_t kWord = 64;
  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace shoal

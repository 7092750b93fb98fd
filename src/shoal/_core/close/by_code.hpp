// The records that remain, by the place of their code of one attribute.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "close/emd.hpp"
#include "close/swaps.hpp"
#include "search/records.hpp"

namespace shoal {

// Lifetime: keeps references to the attribute and to the swaps that order its codes, which must outlive it.
class ByCode {
 public:
  ByCode(const Attribute& attribute, const Swaps& swaps)
      : attribute_(attribute), swaps_(swaps), gone_(attribute.record_count(), 0) {
    rows_.resize(attribute.record_count());
    std::iota(rows_.begin(), rows_.end(), Row{0});
    sort();
  }

  void remove(std::span<const Row> rows) {
    for (const Row row : rows) gone_[row] = 1;
    left_ -= static_cast<std::int64_t>(rows.size());
    if (2 * left_ < static_cast<std::int64_t>(rows_.size())) {
      std::erase_if(rows_, [&](Row row) { return gone_[row] != 0; });
      sort();
    }
  }

  // Records with a code whose place is in [begin, end), and at most as many again that are gone.
  std::int64_t count(std::int32_t begin, std::int32_t end) const { return starts_[end] - starts_[begin]; }

  template <class Visit>
  void each(std::int32_t begin, std::int32_t end, Visit visit) const {
    for (std::int64_t i = starts_[begin]; i < starts_[end]; ++i) {
      if (gone_[rows_[i]] == 0) visit(rows_[i]);
    }
  }

 private:
  void sort() {
    left_ = static_cast<std::int64_t>(rows_.size());
    starts_.assign(attribute_.levels() + 1, 0);
    for (const Row row : rows_) ++starts_[place(row) + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    std::vector<std::int64_t> next(starts_.begin(), starts_.end() - 1);
    std::vector<Row> sorted(rows_.size());
    for (const Row row : rows_) sorted[next[place(row)]++] = row;
    rows_ = std::move(sorted);
  }

  std::int32_t place(Row row) const { return swaps_.place(attribute_.code(row)); }

  const Attribute& attribute_;
  const Swaps& swaps_;
  std::vector<Row> rows_;
  std::vector<std::int64_t> starts_;
  std::vector<char> gone_;
  std::int64_t left_ = 0;
};

}  // namespace shoal

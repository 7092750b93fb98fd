// The records that remain, by the place of their code of one attribute.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "close/emd.hpp"
#include "close/swaps.hpp"
#include "search/records.hpp"

namespace shoal {

// The records of a place stand side by side, those that are gone last. Groups use up the same places first, so places
// that are empty are many and together: a walk over a range leaps over them.
//
// Lifetime: keeps references to the attribute and to the swaps that order its codes, which must outlive it.
class ByCode {
 public:
  ByCode(const Attribute& attribute, const Swaps& swaps)
      : attribute_(attribute),
        swaps_(swaps),
        rows_(attribute.record_count()),
        slots_(attribute.record_count()),
        starts_(attribute.levels() + 1, 0),
        ends_(attribute.levels()),
        filled_(attribute.levels() + 1),
        sums_(attribute.levels() + 1, 0) {
    const auto records = static_cast<Row>(attribute.record_count());
    for (Row row = 0; row < records; ++row) ++starts_[place(row) + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    std::copy(starts_.begin(), starts_.end() - 1, ends_.begin());
    for (Row row = 0; row < records; ++row) {
      slots_[row] = ends_[place(row)]++;
      rows_[slots_[row]] = row;
      add(place(row), 1);
    }
    std::iota(filled_.begin(), filled_.end(), 0);
    for (std::int32_t at = 0; at < attribute.levels(); ++at) skip_if_empty(at);
  }

  void remove(std::span<const Row> rows) {
    for (const Row row : rows) {
      const std::int32_t at = place(row);
      const std::int64_t last = --ends_[at], slot = slots_[row];
      std::swap(rows_[slot], rows_[last]);
      slots_[rows_[slot]] = slot;
      slots_[row] = last;
      add(at, -1);
      skip_if_empty(at);
    }
  }

  // Records with a code whose place is in [begin, end).
  std::int64_t count(std::int32_t begin, std::int32_t end) const { return before(end) - before(begin); }

  template <class Visit>
  void each(std::int32_t begin, std::int32_t end, Visit visit) {
    for (std::int32_t at = filled_from(begin); at < end; at = filled_from(at + 1)) {
      for (std::int64_t i = starts_[at]; i < ends_[at]; ++i) visit(rows_[i]);
    }
  }

 private:
  std::int32_t place(Row row) const { return swaps_.place(attribute_.code(row)); }

  void skip_if_empty(std::int32_t at) {
    if (ends_[at] == starts_[at]) filled_[at] = at + 1;
  }

  // The first place from `at` on that has records, or the number of places; the way there is shortened.
  std::int32_t filled_from(std::int32_t at) {
    while (filled_[at] != at) {
      filled_[at] = filled_[filled_[at]];
      at = filled_[at];
    }
    return at;
  }

  // Sums of the records of places, as a tree in which each node holds those up to its lowest bit (Fenwick 1994).
  void add(std::int32_t at, std::int64_t by) {
    for (++at; at < static_cast<std::int32_t>(sums_.size()); at += at & -at) sums_[at] += by;
  }
  std::int64_t before(std::int32_t end) const {
    std::int64_t sum = 0;
    for (; end > 0; end -= end & -end) sum += sums_[end];
    return sum;
  }

  const Attribute& attribute_;
  const Swaps& swaps_;
  std::vector<Row> rows_;
  std::vector<std::int64_t> slots_;         // where each row stands
  std::vector<std::int64_t> starts_, ends_;  // of the rows that each place has left
  std::vector<std::int32_t> filled_;         // the place itself, or a later one without any with records between
  std::vector<std::int64_t> sums_;
};

}  // namespace shoal

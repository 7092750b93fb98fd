// Records that agree in every attribute, chained so that an index need hold only the first of them.
//
// At equal distance the lowest row goes first, so of equal records an index holds the lowest that is left; when it
// leaves, the next in its chain takes its place. Where k counts subjects, records may also leave from the middle of a
// chain: the subject of those before them may have been found nearer by.
//
// Repeats are records that agree in every attribute with an earlier one of the same subject. They go wherever that one
// goes, and neither chains nor indexes hold them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/records.hpp"

namespace shoal {

class Duplicates {
 public:
  // Chains equal records if a sample says that it is worth while; otherwise every row is a front. Repeats are found in
  // any case: which records are in a group depends on them.
  explicit Duplicates(const Records& records);

  // The lowest row of each set of equal records, as it was at first.
  const std::vector<Row>& fronts() const { return fronts_; }

  // Records without repeats.
  std::int64_t size() const { return size_; }

  // The next row equal to a row, or -1; no array if no chains were made.
  const Row* chain() const { return next_.empty() ? nullptr : next_.data(); }

  // The next repeat of a row, or -1.
  Row repeat(Row row) const { return repeats_.empty() ? -1 : repeats_[row]; }

  // Whether no equal record with a lower row is left. Chains must have been made.
  bool is_front(Row row) const { return previous_[row] < 0; }

  // Takes a row out of its chain and returns the one after it, or -1. Chains must have been made.
  Row unlink(Row row) {
    const Row before = previous_[row], after = next_[row];
    if (before >= 0) next_[before] = after;
    if (after >= 0) previous_[after] = before;
    return after;
  }

  // All rows that are left of the chains that begin with the given ones.
  std::vector<Row> expand(std::span<const Row> heads) const;

 private:
  std::vector<Row> find_repeats(const Records& records);

  std::int64_t size_ = 0;
  std::vector<Row> fronts_;
  std::vector<Row> next_, previous_;  // empty if no chains were made
  std::vector<Row> repeats_;          // empty if there are none
};

}  // namespace shoal

// Which runs of rows in order hold k subjects, and which of these a cheapest cut can have.
//
// The run (i, j], rows i … j − 1, holds k subjects if and only if i ≤ latest(j), and latest never falls. A run that can
// be cut in two such runs never costs less than the two do, and the two win a tie, as their last run is the shorter one.
// If any cut leaves k subjects on both sides, the one at latest(j) does: so no run to j that starts at latest(latest(j))
// or before it is looked at. Where every row is a subject of its own that leaves the runs of k … 2k − 1 rows.
//
// A subject with many rows in a row makes runs long, and the starts to be looked at many: `most` limits them to the
// latest ones, for searches that look at each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace shoal {

// Index: an unsigned integer that holds the number of rows.
template <class Index>
class RunLimits {
 public:
  static constexpr std::size_t kEvery = std::numeric_limits<std::size_t>::max();

  // row_of(place) is the row of `subjects` that stands at a place of the order. No subjects: every row is one of its
  // own. At least k of them are required.
  RunLimits(std::size_t rows, std::size_t k, std::span<const std::int32_t> subjects,
            const std::function<std::size_t(std::size_t)>& row_of, std::size_t most = kEvery)
      : rows_(rows), k_(k), most_(std::max(most, k)), first_(k), widest_(k), longest_(2 * k - 1) {
    if (!subjects.empty()) read(subjects, row_of);
  }

  std::size_t rows() const { return rows_; }

  // The first row that a run can end before.
  std::size_t first() const { return first_; }

  // The latest start of a run to j, from first() on.
  std::size_t latest(std::size_t j) const { return latest_.empty() ? j - k_ : latest_[j]; }

  // Whether the rows before j make a run that cannot be cut.
  bool is_one_run(std::size_t j) const { return latest(j) < first_; }

  // The earliest start of a run to j that is looked at: 0 where there is no other, else one after rows that can be cut
  // or, if that is later, first().
  std::size_t earliest(std::size_t j) const {
    if (latest_.empty()) return j < 2 * k_ ? 0 : j - (2 * k_ - 1);
    if (is_one_run(j)) return 0;
    const std::size_t last = latest_[j], cut = latest_[last];
    return last - cut <= most_ ? cut + 1 : last + 1 - most_;
  }

  // The first of begin … end − 1 that a run from begin on can reach, or end: those before it depend on rows before
  // begin only.
  std::size_t independent(std::size_t begin, std::size_t end) const {
    if (latest_.empty()) return std::min(begin + k_, end);
    const auto from = latest_.begin();
    const auto at = static_cast<std::ptrdiff_t>(begin);
    return static_cast<std::size_t>(
        std::lower_bound(from + at, from + static_cast<std::ptrdiff_t>(end), static_cast<Index>(begin)) - from);
  }

  // How many starts are looked at for one end, at most; and the rows of the longest run among them.
  std::size_t widest() const { return widest_; }
  std::size_t longest() const { return longest_; }

  std::size_t k() const { return k_; }

 private:
  void read(std::span<const std::int32_t> subjects, const std::function<std::size_t(std::size_t)>& row_of) {
    std::vector<std::int32_t> subject(rows_);
    for (std::size_t place = 0; place < rows_; ++place) subject[place] = subjects[row_of(place)];
    const auto count = static_cast<std::size_t>(*std::max_element(subject.begin(), subject.end())) + 1;
    std::vector<Index> within(count, 0);  // rows of each subject in the run
    std::size_t distinct = 0, start = 0;
    latest_.assign(rows_ + 1, 0);
    first_ = 0;
    for (std::size_t j = 1; j <= rows_; ++j) {
      if (within[subject[j - 1]]++ == 0) ++distinct;
      if (distinct < k_) continue;
      if (first_ == 0) first_ = j;
      while (distinct > k_ || within[subject[start]] > 1) {
        if (--within[subject[start++]] == 0) --distinct;
      }
      latest_[j] = static_cast<Index>(start);
    }
    widest_ = 1;
    longest_ = k_;
    for (std::size_t j = first_; j <= rows_; ++j) {
      const std::size_t low = is_one_run(j) ? 0 : std::max(earliest(j), first_);
      if (low > 0) widest_ = std::max(widest_, latest(j) - low + 1);
      longest_ = std::max(longest_, j - low);
    }
  }

  std::size_t rows_;
  std::size_t k_;
  std::size_t most_;
  std::size_t first_;
  std::size_t widest_;
  std::size_t longest_;
  std::vector<Index> latest_;  // by j; empty where every row is a subject of its own
};

}  // namespace shoal

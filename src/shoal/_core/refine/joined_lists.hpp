// The nearest of many records, or nearly so: where a tree would look at most of them.
//
// They are cut in halves, again and again, across the line between two of them, until some hundreds are left, and all
// pairs of these are looked at; this is done several times, by other cuts. What was missed is mostly near a near one:
// so the neighbours of neighbours are looked at as well, round after round (Dong et al. 2011). No list depends on the
// number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "progress.hpp"
#include "refine/float_records.hpp"
#include "search/lines.hpp"

namespace shoal::refine {

// However lists are made: how many are worth a worker, and how many each makes between two ticks.
inline constexpr std::int64_t kLeastLists = 2048, kListsAtOnce = 8192;

class JoinedLists {
 public:
  struct Near {
    float distance;  // squared, in units
    std::int32_t place;
  };

  // Records that stand near each other in their order should be near. Lifetime: refers to them while it is made.
  JoinedLists(const FloatRecords& records, int length, Progress& progress);

  // Nearest first; fewer than the length only where there are fewer others.
  std::span<const Near> of(std::int64_t place) const {
    return {lists_.data() + place * length_, static_cast<std::size_t>(counts_[place])};
  }

 private:
  // The numbers of a few records column by column, so that the distances to several of them are added up side by side.
  class Leaf;

  bool offer(std::int64_t place, float distance, std::int32_t other);
  float limit(std::int64_t place) const;
  void cut_all(int tree, Progress& progress);
  std::int64_t halve(int tree, std::int64_t begin, std::int64_t end);
  void cut(int tree, std::int64_t begin, std::int64_t end, Leaf& leaf);
  void compare_all(std::int64_t begin, std::int64_t end, Leaf& leaf);
  void join(Progress& progress);
  void join(std::int64_t begin, std::int64_t end, std::span<const std::int32_t> before, std::vector<std::int32_t>& seen);
  std::size_t workers() const;

  static constexpr int kLongest = 32;  // bits of fresh_

  const FloatRecords& records_;
  std::int64_t size_;
  int length_;
  Lines<Near> lists_;
  std::vector<std::uint8_t> counts_;
  std::vector<std::uint32_t> fresh_;  // of each place: which entries came since the last round
  std::vector<std::int32_t> order_;
  std::vector<std::pair<float, std::int32_t>> margins_;
};

}  // namespace shoal::refine

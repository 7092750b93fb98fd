// What stands for the ranks of one ordinal attribute: their lower median, or that of the lifted frequencies.
//
// The convex median lifts every frequency to the smaller of the greatest at or below it and the greatest at or above it
// (Domingo-Ferrer and Torra 2005). Lifted frequencies rise in steps to the greatest of all and fall in steps from there, so
// that the steps say everything: of n records there are less than sqrt(2n) on each side, however many ranks there are.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "close/histogram.hpp"

namespace shoal {

// Where the greatest frequency so far grows, on the way up from the lowest rank or down from the highest.
struct Step {
  std::int32_t rank;
  std::int64_t height;
};

// The lower median of lifted frequencies, by their steps from below and from above; both end at the greatest of all.
inline std::int32_t lifted_median(std::span<const Step> rising, std::span<const Step> falling) {
  struct Run {
    std::int32_t begin;
    std::int64_t length, height;
  };
  const std::size_t sides = rising.size() + falling.size();
  const auto run = [&](std::size_t i) -> Run {
    if (i + 1 < rising.size()) return {rising[i].rank, rising[i + 1].rank - rising[i].rank, rising[i].height};
    if (i + 1 == rising.size()) {
      return {rising[i].rank, falling.back().rank - rising[i].rank + 1, rising[i].height};
    }
    const Step &inner = falling[sides - 1 - i], &outer = falling[sides - 2 - i];
    return {inner.rank + 1, outer.rank - inner.rank, outer.height};
  };
  std::int64_t total = 0;
  for (std::size_t i = 0; i + 1 < sides; ++i) total += run(i).length * run(i).height;
  std::int64_t left = (total - 1) / 2;
  std::size_t i = 0;
  for (; run(i).length * run(i).height <= left; ++i) left -= run(i).length * run(i).height;
  return run(i).begin + static_cast<std::int32_t>(left / run(i).height);
}

// Both medians of the ranks that a group has, from how often it has each: at least one.
class RankCentre {
 public:
  std::int32_t operator()(std::span<const Histogram::Entry> entries, std::int64_t records, bool convex) {
    if (!convex) {
      std::int64_t left = (records - 1) / 2;
      std::size_t i = 0;
      for (; entries[i].records <= left; ++i) left -= entries[i].records;
      return entries[i].code;
    }
    rising_.clear();
    falling_.clear();
    for (std::size_t i = 0; i < entries.size(); ++i) climb(rising_, entries[i]);
    for (std::size_t i = entries.size(); i-- > 0;) climb(falling_, entries[i]);
    return lifted_median(rising_, falling_);
  }

 private:
  static void climb(std::vector<Step>& steps, const Histogram::Entry& entry) {
    if (steps.empty() || entry.records > steps.back().height) steps.push_back({entry.code, entry.records});
  }

  std::vector<Step> rising_, falling_;
};

// Frequencies of all ranks, kept up to date: a tree over the ranks with sums and greatest frequencies. A change and the
// median cost the logarithm of the number of ranks, the convex median as much for each step.
class RankHistogram {
 public:
  explicit RankHistogram(std::int32_t levels)
      : leaves_(std::bit_ceil(static_cast<std::size_t>(std::max(levels, 1)))), nodes_(2 * leaves_) {}

  void add(std::int32_t rank) { change(rank, 1); }
  void subtract(std::int32_t rank) { change(rank, -1); }

  // The lower median.
  std::int32_t median() const {
    std::int64_t left = (nodes_[1].records - 1) / 2;
    return descend([&](std::size_t child) {
      if (left < nodes_[child].records) return false;
      left -= nodes_[child].records;
      return true;
    });
  }

  // The lower median after frequencies were lifted.
  std::int32_t convex_median() {
    rising_.clear();
    falling_.clear();
    for (std::int64_t height = 0; height < nodes_[1].most; height = rising_.back().height) {
      const std::int32_t rank = descend([&](std::size_t child) { return nodes_[child].most <= height; });
      rising_.push_back({rank, nodes_[leaves_ + rank].most});
    }
    for (std::int64_t height = 0; height < nodes_[1].most; height = falling_.back().height) {
      const std::int32_t rank = descend([&](std::size_t child) { return nodes_[child + 1].most > height; });
      falling_.push_back({rank, nodes_[leaves_ + rank].most});
    }
    return lifted_median(rising_, falling_);
  }

 private:
  struct Node {
    std::int64_t records = 0;
    std::int64_t most = 0;  // the greatest frequency of a rank below
  };

  // The rank that is reached from the root, where `to_right` is asked at each node with the number of its left child.
  template <class ToRight>
  std::int32_t descend(ToRight to_right) const {
    std::size_t node = 1;
    while (node < leaves_) {
      node *= 2;
      node += to_right(node);
    }
    return static_cast<std::int32_t>(node - leaves_);
  }

  void change(std::int32_t rank, std::int64_t by) {
    std::size_t node = leaves_ + rank;
    nodes_[node].most = nodes_[node].records += by;
    for (node /= 2; node > 0; node /= 2) {
      nodes_[node].records += by;
      nodes_[node].most = std::max(nodes_[2 * node].most, nodes_[2 * node + 1].most);
    }
  }

  std::size_t leaves_;
  std::vector<Node> nodes_;  // the children of node i are 2i and 2i + 1; the ranks begin at leaves_
  std::vector<Step> rising_, falling_;
};

}  // namespace shoal

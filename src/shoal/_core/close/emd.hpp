// Earth mover's distance between a group of records and the whole table on one confidential attribute.
//
// Both distances are sums over the edges of a tree of how much mass must cross the edge. Ordered values are a chain:
// the edge between positions i and i+1 is crossed by |c_i/g - C_i/n|, with c_i and C_i the records of the group (of g)
// and of the table (of n) at or below i. Categories are the leaves of a tree, and the edge above a node is crossed by
// the same difference for the records below the node, weighted by how far the edge climbs. Multiplied by g·n·scale the
// distance is an integer, the work; it is compared as such, and divided only to be shown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "close/histogram.hpp"
#include "close/threshold.hpp"
#include "exact/wide.hpp"

namespace shoal {

// Counts per node, all zero between two calls: shared by the groups a caller goes through.
struct Scratch {
  std::vector<std::int64_t> counts;
  std::vector<std::int32_t> touched;
};

// Lifetime: copies what it is given, and may outlive the arrays.
class Attribute {
 public:
  // The code of each record, and how many records of the table have each code: the records may be a part of the table.
  // Parents and climbs are empty for ordered values; else they list the nodes of the tree, leaves first and in the
  // order of the codes, parents after their children, the root last.
  Attribute(std::span<const std::int32_t> codes, std::span<const std::int64_t> counts,
            std::span<const std::int32_t> parents, std::span<const std::int32_t> climbs, std::int64_t scale)
      : codes_(codes.begin(), codes.end()),
        parents_(parents.begin(), parents.end()),
        climbs_(climbs.begin(), climbs.end()),
        counts_(counts.begin(), counts.end()),
        levels_(static_cast<std::int32_t>(counts.size())),
        size_(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})),
        scale_(scale) {
    if (is_chain()) {
      below_.assign(1, 0);
      for (std::int32_t i = 1; i < levels_; ++i) counts_[i] += counts_[i - 1];
      for (const std::int64_t count : counts_) below_.push_back(below_.back() + count);
    } else {
      counts_.resize(parents_.size());
      for (std::size_t node = 0; node + 1 < parents_.size(); ++node) {
        counts_[parents_[node]] += counts_[node];
        untouched_ += climbs_[node] * counts_[node];
      }
    }
  }

  bool is_chain() const { return parents_.empty(); }
  std::int64_t size() const { return size_; }  // records of the table
  std::int64_t record_count() const { return static_cast<std::int64_t>(codes_.size()); }
  std::int32_t levels() const { return levels_; }
  std::int64_t scale() const { return scale_; }
  std::int32_t code(std::int64_t row) const { return codes_[row]; }

  // Records of the table at or below position i of a chain, or below a node of a tree.
  std::int64_t count(std::int32_t place) const { return counts_[place]; }
  // Sum of count(i) over the positions i < end of a chain.
  std::int64_t count_sum(std::int32_t end) const { return below_[end]; }
  std::int32_t parent(std::int32_t node) const { return parents_[node]; }
  std::int32_t climb(std::int32_t node) const { return climbs_[node]; }
  std::size_t node_count() const { return parents_.size(); }

  // First position in [from, to) of a chain where the table's share exceeds that of `records` in a group of `group`.
  std::int32_t overtaken(std::int64_t records, std::int64_t group, std::int32_t from, std::int32_t to) const {
    const auto ahead = [&](std::int64_t count) { return count * group <= records * size(); };
    // Most stretches of a large group hold no turn.
    if (from == to || !ahead(counts_[from])) return from;
    if (ahead(counts_[to - 1])) return to;
    const auto begin = counts_.begin();
    return static_cast<std::int32_t>(std::partition_point(begin + from, begin + to, ahead) - begin);
  }

  // Work over the positions [from, to) of a chain, where the group has `records` at or below each; `turn` is
  // where it is overtaken. The table's counts grow and the group's do not, so the sign changes once, at `turn`.
  Wide stretch(std::int64_t records, std::int64_t group, std::int32_t turn, std::int32_t from, std::int32_t to) const {
    turn = std::clamp(turn, from, to);
    // Rows are 32-bit numbers, so a product of two counts fits 64 bits; only the sums over positions need more.
    const std::int64_t mass = records * size(), positions = 2 * std::int64_t{turn} - from - to;
    const std::int64_t counted = below_[from] + below_[to] - 2 * below_[turn];
    return static_cast<Wide>(mass) * positions + static_cast<Wide>(group) * counted;
  }

  // Work of a group with d distinct codes: O(d log m) for a chain, O(d · height) for a tree.
  Wide work(const Histogram& group, Scratch& scratch) const {
    return is_chain() ? chain_work(group) : tree_work(group, scratch);
  }

  double distance(Wide work, std::int64_t group) const {
    return static_cast<double>(work) / static_cast<double>(work_unit(group, size(), scale_));
  }

 private:
  Wide chain_work(const Histogram& group) const {
    const std::int64_t g = group.records();
    const auto entries = group.entries();
    Wide sum = static_cast<Wide>(g) * below_[entries.front().code];
    std::int64_t records = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      records += entries[i].records;
      const std::int32_t from = entries[i].code;
      const std::int32_t to = i + 1 < entries.size() ? entries[i + 1].code : levels_ - 1;
      sum += stretch(records, g, overtaken(records, g, from, to), from, to);
    }
    return sum;
  }

  // A node that holds nobody of the group costs what the table has below it; the others are met from their leaves up.
  Wide tree_work(const Histogram& group, Scratch& scratch) const {
    const std::int64_t g = group.records();
    scratch.counts.resize(parents_.size());
    for (const auto& [code, records] : group.entries()) {
      for (std::int32_t node = code; parents_[node] >= 0; node = parents_[node]) {
        if (scratch.counts[node] == 0) scratch.touched.push_back(node);
        scratch.counts[node] += records;
      }
    }
    Wide sum = static_cast<Wide>(untouched_) * g;
    for (const std::int32_t node : scratch.touched) {
      const Wide table = static_cast<Wide>(counts_[node]) * g;
      sum += climbs_[node] * (absolute(surplus(scratch.counts[node], g, counts_[node], size())) - table);
      scratch.counts[node] = 0;
    }
    scratch.touched.clear();
    return sum;
  }

  std::vector<std::int32_t> codes_;
  std::vector<std::int32_t> parents_;
  std::vector<std::int32_t> climbs_;
  std::vector<std::int64_t> counts_;  // chain: records at or below a position; tree: records below a node
  std::vector<std::int64_t> below_;   // chain: sums of counts_ over the positions before
  std::int64_t untouched_ = 0;        // tree: work of an empty group of one
  std::int32_t levels_;
  std::int64_t size_;
  std::int64_t scale_;
};

}  // namespace shoal

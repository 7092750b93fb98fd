// Swaps on the categories of a tree.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "close/swaps.hpp"

namespace shoal {

// The candidate adds a record to the nodes above it, a member leaves those above it, and above
// the node where the two meet nothing changes. O(height) a member.
class TreeSwaps : public Swaps {
 public:
  explicit TreeSwaps(const Attribute& attribute)
      : attribute_(attribute),
        counts_(attribute.node_count(), 0),
        added_(attribute.node_count(), 0),
        seen_(attribute.node_count(), 0) {}

  void reset(std::span<const Row> members) override {
    for (const std::int32_t code : codes_) climb(code, [&](std::int32_t node) { counts_[node] = 0; });
    members_.assign(members.begin(), members.end());
    group_ = static_cast<std::int64_t>(members.size());
    codes_.clear();
    for (const Row row : members) codes_.push_back(attribute_.code(row));
    for (const std::int32_t code : codes_) climb(code, [&](std::int32_t node) { ++counts_[node]; });
    sorted_ = codes_;
    histogram_.assign(sorted_);
    work_ = attribute_.work(histogram_, scratch_);
  }

  Wide work() const override { return work_; }

  void consider(std::int32_t code) override {
    ++candidate_;
    Wide sum = 0;
    std::int32_t node = code;
    for (; attribute_.parent(node) >= 0; node = attribute_.parent(node)) {
      seen_[node] = candidate_;
      added_[node] = sum;
      sum += shift(node, +1);
    }
    seen_[node] = candidate_;
    added_[node] = sum;
  }

  Wide change(std::int32_t slot) const override {
    Wide sum = 0;
    std::int32_t node = codes_[slot];
    for (; seen_[node] != candidate_; node = attribute_.parent(node)) sum += shift(node, -1);
    return sum + added_[node];
  }

  Swap best() const override {
    Swap best{0, 0};
    Row row = std::numeric_limits<Row>::max();
    for (std::size_t slot = 0; slot < codes_.size(); ++slot) {
      const Wide found = change(static_cast<std::int32_t>(slot));
      if (found > best.change || (found == best.change && members_[slot] > row)) continue;
      best = {found, static_cast<std::int32_t>(slot)};
      row = members_[slot];
    }
    return best;
  }

  void improving(const std::function<void(std::int32_t, std::int32_t)>& visit) override {
    for (std::int32_t code = 0; code < attribute_.levels(); ++code) {
      consider(code);
      if (best().change < 0) visit(code, code + 1);
    }
  }

 private:
  template <class Visit>
  void climb(std::int32_t code, Visit visit) const {
    for (std::int32_t node = code; attribute_.parent(node) >= 0; node = attribute_.parent(node)) visit(node);
  }

  Wide shift(std::int32_t node, int by) const {
    const auto mass = [&](std::int64_t records) {
      return absolute(surplus(records, group_, attribute_.count(node), attribute_.size()));
    };
    return attribute_.climb(node) * (mass(counts_[node] + by) - mass(counts_[node]));
  }

  const Attribute& attribute_;
  std::int64_t group_ = 0;
  std::vector<std::int64_t> counts_;  // members below each node
  std::vector<Row> members_;
  std::vector<std::int32_t> codes_, sorted_;
  Histogram histogram_;
  Wide work_ = 0;
  std::vector<Wide> added_;           // what the candidate adds below each node above it
  std::vector<std::int64_t> seen_;    // the last candidate below each node
  std::int64_t candidate_ = 0;
  Scratch scratch_;
};

}  // namespace shoal

// Swaps on the categories of a tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
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
        seen_(attribute.node_count(), 0),
        place_(attribute.levels()),
        order_(attribute.levels()),
        ends_(attribute.levels()) {
    std::iota(order_.begin(), order_.end(), 0);
    const auto family = [&](std::int32_t code) { return std::pair{attribute.parent(code), attribute.climb(code)}; };
    std::sort(order_.begin(), order_.end(), [&](std::int32_t one, std::int32_t other) {
      if (family(one) != family(other)) return family(one) < family(other);
      return attribute.count(one) > attribute.count(other);
    });
    for (std::int32_t place = 0; place < attribute.levels(); ++place) {
      place_[order_[place]] = place;
      if (place == 0 || family(order_[place - 1]) != family(order_[place])) families_.push_back(place);
    }
    families_.push_back(attribute.levels());
    for (std::int32_t place = attribute.levels(); place-- > 0;) {
      const bool last = place + 1 == attribute.levels() || family(order_[place]) != family(order_[place + 1]) ||
                        attribute.count(order_[place]) != attribute.count(order_[place + 1]);
      ends_[place] = last ? place + 1 : ends_[place + 1];
    }
  }

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

  std::int32_t place(std::int32_t code) const override { return place_[code]; }

  bool improves_first_places() const override { return families_.size() == 2; }

  std::int32_t last_alike(std::int32_t place) const override { return ends_[place]; }

  // What a candidate whose code nobody in the group has adds to its own edge falls with the number of records that the
  // table has of the code, and above that edge it is the same for all codes of a family. So those that lower the work are
  // the commonest of the family; codes of the group are looked at one by one.
  void improving(const std::function<void(std::int32_t, std::int32_t)>& visit) override {
    held_.clear();
    for (const auto& entry : histogram_.entries()) {
      held_.push_back(place_[entry.code]);
      consider(entry.code);
      if (best().change < 0) visit(place_[entry.code], place_[entry.code] + 1);
    }
    std::sort(held_.begin(), held_.end());
    for (std::size_t family = 0; family + 1 < families_.size(); ++family) {
      const std::int32_t first = families_[family], last = families_[family + 1];
      auto held = std::lower_bound(held_.begin(), held_.end(), first);
      std::int32_t stranger = first;
      for (auto next = held; next != held_.end() && *next == stranger; ++next) ++stranger;
      if (stranger >= last) continue;
      consider(order_[stranger]);
      const Wide elsewhere = best_change() - arrival(order_[stranger]);
      const auto improves = [&](std::int32_t code) { return arrival(code) + elsewhere < 0; };
      const auto begin = order_.begin();
      const auto end = static_cast<std::int32_t>(std::partition_point(begin + first, begin + last, improves) - begin);
      std::int32_t from = first;
      for (; held != held_.end() && *held < end; from = *held++ + 1) {
        if (from < *held) visit(from, *held);
      }
      if (from < end) visit(from, end);
    }
  }

 private:
  // The least change that the candidate makes, also where the work grows.
  Wide best_change() const {
    Wide least = change(0);
    for (std::size_t slot = 1; slot < codes_.size(); ++slot) {
      least = std::min(least, change(static_cast<std::int32_t>(slot)));
    }
    return least;
  }

  // What the first record of a code adds to the work of the edge above the code.
  Wide arrival(std::int32_t code) const {
    const auto mass = [&](std::int64_t records) {
      return absolute(surplus(records, group_, attribute_.count(code), attribute_.size()));
    };
    return attribute_.climb(code) * (mass(1) - mass(0));
  }

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
  std::vector<std::int32_t> place_, order_;  // codes by family, those of one parent at one height, the commonest first
  std::vector<std::int32_t> ends_;           // where those as common as a place's end
  std::vector<std::int32_t> families_;       // where each begins, and the end
  std::vector<std::int32_t> held_;           // places of the codes in the group
  Scratch scratch_;
};

}  // namespace shoal

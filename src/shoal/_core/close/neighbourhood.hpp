// (n, t)-closeness: a group is compared with its neighbourhood of at least n records instead of the whole table.
//
// The neighbourhood of a group is the group and the groups with the nearest centroids, whole, until n records are
// together. A group passes where it is within t of its neighbourhood or of the table: both hold it, and both are as
// large as asked.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "close/constraint.hpp"
#include "group/centroids.hpp"
#include "search/kd_tree.hpp"

namespace shoal {

// Work of moving the values of one set of records onto those of another, in units of 1 / (sizes of both · scale).
inline Wide work_between(const Attribute& attribute, const Histogram& group, const Histogram& others) {
  const std::int64_t g = group.records(), n = others.records();
  // Walk over the codes of both; `extra` is what the group has too much of.
  const auto walk = [&](auto visit) {
    const auto ours = group.entries(), theirs = others.entries();
    std::size_t i = 0, j = 0;
    while (i < ours.size() || j < theirs.size()) {
      const bool from_group = j == theirs.size() || (i < ours.size() && ours[i].code <= theirs[j].code);
      const std::int32_t code = from_group ? ours[i].code : theirs[j].code;
      const std::int64_t inside = i < ours.size() && ours[i].code == code ? ours[i++].records : 0;
      const std::int64_t outside = j < theirs.size() && theirs[j].code == code ? theirs[j++].records : 0;
      visit(code, surplus(inside, g, outside, n));
    }
  };
  Wide sum = 0;
  if (attribute.is_chain()) {
    Wide ahead = 0;
    std::int32_t last = 0;
    walk([&](std::int32_t code, Wide extra) {
      sum += absolute(ahead) * (code - last);
      last = code;
      ahead += extra;
    });
    return sum;
  }
  std::vector<Wide> extras(attribute.node_count(), 0);
  walk([&](std::int32_t code, Wide extra) { extras[code] = extra; });
  for (std::size_t node = 0; node + 1 < extras.size(); ++node) {  // parents come after their children
    sum += attribute.climb(static_cast<std::int32_t>(node)) * absolute(extras[node]);
    extras[attribute.parent(static_cast<std::int32_t>(node))] += extras[node];
  }
  return sum;
}

// Lifetime: keeps references to all three, which must outlive it; it sees what merges do to them.
class Neighbourhoods {
 public:
  // Groups are those that the tree holds, by their centroids.
  Neighbourhoods(const Centroids& centroids, const Records& view, const KdTree& tree, std::int64_t records)
      : centroids_(centroids), view_(view), tree_(tree), records_(records), place_(view) {}

  // How far a group is from its neighbourhood, or from the table if that is nearer, relative to t.
  Verdict judge(const Closeness& constraint, std::int64_t group) {
    count(constraint.attribute(), std::array{static_cast<Row>(group)}, own_);
    const Verdict table = constraint.judge(own_, scratch_);
    if (table.met) return table;
    find(group);
    count(constraint.attribute(), near_, around_);
    if (around_.records() < records_) return table;  // there are no n records to compare with
    const Wide work = work_between(constraint.attribute(), own_, around_);
    const std::int64_t g = own_.records(), n = around_.records();
    const Wide unit = work_unit(g, n, constraint.attribute().scale());
    const double distance = static_cast<double>(work) / static_cast<double>(unit);
    return {std::min(table.shortfall, constraint.shortfall(distance)), constraint.allows(work, g, n)};
  }

 private:
  // The groups of the neighbourhood, the group itself first. Searches grow until they hold enough records.
  void find(std::int64_t group) {
    const auto self = static_cast<Row>(group);
    place_.set(view_, self);
    for (std::size_t capacity = 8;; capacity *= 4) {
      nearest_.reset(capacity, self);
      tree_.nearest(place_, nearest_, self);
      near_.assign(1, self);
      std::int64_t count = centroids_.count(group);
      for (const Neighbour& near : nearest_.sorted()) {
        if (count >= records_) return;
        near_.push_back(near.row);
        count += centroids_.count(near.row);
      }
      if (count >= records_ || nearest_.found().size() < capacity) return;
    }
  }

  void count(const Attribute& attribute, std::span<const Row> groups, Histogram& histogram) {
    codes_.clear();
    for (const Row group : groups) {
      centroids_.each_row(group, [&](Row row) { codes_.push_back(attribute.code(row)); });
    }
    histogram.assign(codes_);
  }

  const Centroids& centroids_;
  const Records& view_;
  const KdTree& tree_;
  std::int64_t records_;
  Place place_;
  Nearest nearest_;
  std::vector<Row> near_;
  std::vector<std::int32_t> codes_;
  Histogram own_, around_;
  Scratch scratch_;
};

}  // namespace shoal

// (n, t)-closeness: a group is compared with its neighbourhood of at least n records instead of the whole table.
//
// The neighbourhood of a group is the group and the groups with the nearest centroids, whole, until n records are
// together. A group passes where it is within t of its neighbourhood or of the table: both hold it, and both are as
// large as asked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "centroids.hpp"
#include "constraint.hpp"
#include "kd_tree.hpp"

namespace shoal {

// Work of moving the values of one set of records onto those of another, in units of 1 / (sizes of both · scale).
inline Wide work_between(const Attribute& attribute, std::vector<std::int32_t>& group,
                         std::vector<std::int32_t>& others) {
  const auto g = static_cast<Wide>(group.size()), n = static_cast<Wide>(others.size());
  std::sort(group.begin(), group.end());
  std::sort(others.begin(), others.end());
  // Walk over the codes of both; `ahead` is what the group has too much of so far.
  const auto walk = [&](auto visit) {
    std::size_t i = 0, j = 0;
    while (i < group.size() || j < others.size()) {
      const bool from_group = j == others.size() || (i < group.size() && group[i] <= others[j]);
      const std::int32_t code = from_group ? group[i] : others[j];
      Wide extra = 0;
      for (; i < group.size() && group[i] == code; ++i) extra += n;
      for (; j < others.size() && others[j] == code; ++j) extra -= g;
      visit(code, extra);
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

class Neighbourhoods {
 public:
  // Groups are those that the tree holds, by their centroids.
  Neighbourhoods(const Centroids& centroids, const Records& view, const KdTree& tree, std::int64_t records)
      : centroids_(centroids), view_(view), tree_(tree), records_(records), place_(view) {}

  // How far a group is from its neighbourhood, or from the table if that is nearer, relative to t.
  Verdict judge(const Closeness& constraint, std::int64_t group) {
    gather(constraint.attribute(), group, codes_);
    const auto g = static_cast<std::int64_t>(codes_.size());
    const Verdict table = constraint.judge(codes_, scratch_);
    if (table.met) return table;
    find(group);
    around_.clear();
    for (const Row near : near_) gather(constraint.attribute(), near, around_, /*add=*/true);
    if (static_cast<std::int64_t>(around_.size()) < records_) return table;  // there are no n records to compare with
    const Wide work = work_between(constraint.attribute(), codes_, around_);
    const auto n = static_cast<std::int64_t>(around_.size());
    const Wide unit = static_cast<Wide>(g) * n * constraint.attribute().scale();
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

  void gather(const Attribute& attribute, std::int64_t group, std::vector<std::int32_t>& codes, bool add = false) const {
    if (!add) codes.clear();
    centroids_.each_row(group, [&](Row row) { codes.push_back(attribute.code(row)); });
  }

  const Centroids& centroids_;
  const Records& view_;
  const KdTree& tree_;
  std::int64_t records_;
  Place place_;
  Nearest nearest_;
  std::vector<Row> near_;
  std::vector<std::int32_t> codes_, around_;
  Scratch scratch_;
};

}  // namespace shoal

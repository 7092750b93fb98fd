// Whether groups keep their promises as records move: what rules have to know of a group is added up when it is first
// asked for after a change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "close/changing_groups.hpp"
#include "refine/group_table.hpp"
#include "refine/promises.hpp"

namespace shoal::refine {

// Lifetime: refers to the promises and to the table.
class KeptPromises {
 public:
  KeptPromises(Promises& promises, const GroupTable& groups) : promises_(promises), groups_(groups) {
    for (const Constraint* const rule : promises.rules()) rules_.push_back({standing_of(*rule), {}, {}});
    begin_anew();
  }

  // To be called where the table is another one than before.
  void begin_anew() {
    if (rules_.empty()) return;
    is_known_.assign(groups_.end(), 0);
    for (Rule& rule : rules_) {
      rule.codes.resize(groups_.room());
      rule.sums.resize(groups_.end());
    }
  }

  // To be called where the members of a group changed.
  void changed(Group group) {
    if (!rules_.empty()) is_known_[group] = 0;
  }

  // Whether a group would keep all promises, one of its records left out and another one beside the others where these
  // are given: then it keeps them as it is, and one record for another of the same values changes nothing.
  bool keep(Group group, Slot without = -1, Slot with = -1) {
    if (groups_.size(group) - (without >= 0) + (with >= 0) < promises_.k()) return false;
    if (promises_.has_subjects() && !has_enough_subjects(group, without, with)) return false;
    if (rules_.empty()) return true;
    if (is_known_[group] == 0) sum_up(group);
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const std::int32_t old = without >= 0 ? promises_.code(i, without) : kNoCode;
      const std::int32_t added = with >= 0 ? promises_.code(i, with) : kNoCode;
      if (old == added && old != kNoCode) continue;
      if (!rules_[i].standing->meets(codes(rules_[i], group), rules_[i].sums[group], old, added)) return false;
    }
    return true;
  }

 private:
  struct Rule {
    std::unique_ptr<Standing> standing;
    std::vector<std::int32_t> codes;  // of each group in order, where the table has its members
    std::vector<Wide> sums;           // by group
  };

  bool has_enough_subjects(Group group, Slot without, Slot with) {
    if (without >= 0 && with >= 0 && promises_.subject(without) == promises_.subject(with)) return true;
    return promises_.enough_subjects(groups_.members(group), without, with);
  }

  std::span<std::int32_t> codes(Rule& rule, Group group) const {
    return {rule.codes.data() + groups_.begin(group), static_cast<std::size_t>(groups_.size(group))};
  }

  void sum_up(Group group) {
    const auto members = groups_.members(group);
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const std::span<std::int32_t> sorted = codes(rules_[i], group);
      for (std::size_t j = 0; j < members.size(); ++j) sorted[j] = promises_.code(i, members[j]);
      std::sort(sorted.begin(), sorted.end());
      rules_[i].sums[group] = rules_[i].standing->sum_up(sorted);
    }
    is_known_[group] = 1;
  }

  Promises& promises_;
  const GroupTable& groups_;
  std::vector<Rule> rules_;
  std::vector<std::uint8_t> is_known_;  // by group
};

}  // namespace shoal::refine

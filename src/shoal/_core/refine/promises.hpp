// What every group must keep: k records, of k subjects where they are named, and the rules on confidential values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "close/constraint.hpp"
#include "refine/neighbour_lists.hpp"
#include "search/records.hpp"

namespace shoal::refine {

// Lifetime: shows rows, subjects and constraints, which must outlive it.
class Promises {
 public:
  Promises(std::int32_t k, const Records& records, std::span<const Row> rows, std::vector<const Constraint*> rules)
      : k_(k), subjects_(records.subjects), rows_(rows), rules_(std::move(rules)) {}

  std::int32_t k() const { return k_; }
  bool count_records_alone() const { return subjects_.empty() && rules_.empty(); }
  bool has_rules() const { return !rules_.empty(); }
  bool has_subjects() const { return !subjects_.empty(); }

  std::span<const Constraint* const> rules() const { return rules_; }
  std::int32_t code(std::size_t rule, Slot slot) const { return rules_[rule]->attribute().code(rows_[slot]); }
  std::int32_t subject(Slot slot) const { return subjects_[rows_[slot]]; }

  // Whether these records may be a group.
  bool keep(std::span<const Slot> members) {
    if (static_cast<std::int64_t>(members.size()) < k_) return false;
    if (!subjects_.empty() && !enough_subjects(members)) return false;
    for (std::size_t rule = 0; rule < rules_.size(); ++rule) {
      numbers_.clear();
      for (const Slot slot : members) numbers_.push_back(code(rule, slot));
      histogram_.assign(numbers_);
      if (!rules_[rule]->judge(histogram_, scratch_).met) return false;
    }
    return true;
  }

  // Whether there are k subjects among these records, one left out and another one beside them where these are given.
  bool enough_subjects(std::span<const Slot> members, Slot without = -1, Slot with = -1) {
    numbers_.clear();
    for (const Slot slot : members) {
      if (slot != without) numbers_.push_back(subject(slot));
    }
    if (with >= 0) numbers_.push_back(subject(with));
    std::sort(numbers_.begin(), numbers_.end());
    return std::unique(numbers_.begin(), numbers_.end()) - numbers_.begin() >= k_;
  }

 private:
  std::int32_t k_;
  std::span<const std::int32_t> subjects_;  // by row
  std::span<const Row> rows_;               // by slot
  std::vector<const Constraint*> rules_;
  std::vector<std::int32_t> numbers_;
  Histogram histogram_;
  Scratch scratch_;
};

}  // namespace shoal::refine

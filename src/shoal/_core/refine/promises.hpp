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

  // Whether these records may be a group, one left out and another one beside them where these are given: then they
  // keep all promises as they are, and one record for another of the same values changes nothing.
  bool keep(std::span<const Slot> members, Slot without = -1, Slot with = -1) {
    const auto size = static_cast<std::int64_t>(members.size()) - (without >= 0) + (with >= 0);
    if (size < k_) return false;
    if (count_records_alone() || (without >= 0 && with >= 0 && are_alike(without, with))) return true;
    rows_at_hand_.clear();
    for (const Slot slot : members) {
      if (slot != without) rows_at_hand_.push_back(rows_[slot]);
    }
    if (with >= 0) rows_at_hand_.push_back(rows_[with]);
    return enough_subjects() && rules_kept();
  }

 private:
  bool are_alike(Slot one, Slot other) const {
    if (!subjects_.empty() && subjects_[rows_[one]] != subjects_[rows_[other]]) return false;
    return std::all_of(rules_.begin(), rules_.end(), [&](const Constraint* rule) {
      return rule->attribute().code(rows_[one]) == rule->attribute().code(rows_[other]);
    });
  }

  bool enough_subjects() {
    if (subjects_.empty()) return true;
    numbers_.clear();
    for (const Row row : rows_at_hand_) numbers_.push_back(subjects_[row]);
    std::sort(numbers_.begin(), numbers_.end());
    return std::unique(numbers_.begin(), numbers_.end()) - numbers_.begin() >= k_;
  }

  bool rules_kept() {
    return std::all_of(rules_.begin(), rules_.end(), [&](const Constraint* rule) {
      numbers_.clear();
      for (const Row row : rows_at_hand_) numbers_.push_back(rule->attribute().code(row));
      histogram_.assign(numbers_);
      return rule->judge(histogram_, scratch_).met;
    });
  }

  std::int32_t k_;
  std::span<const std::int32_t> subjects_;  // by row
  std::span<const Row> rows_;               // by slot
  std::vector<const Constraint*> rules_;
  std::vector<Row> rows_at_hand_;
  std::vector<std::int32_t> numbers_;
  Histogram histogram_;
  Scratch scratch_;
};

}  // namespace shoal::refine

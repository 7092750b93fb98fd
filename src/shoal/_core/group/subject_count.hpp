// How many different subjects are among some records, as records come and go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "search/records.hpp"

namespace shoal {

// Counts the subjects of the records in hand. Where records have no subjects every record is one of its own.
//
// Lifetime: shows the records' subjects, which must outlive it.
class SubjectCount {
 public:
  explicit SubjectCount(const Records& records) : subjects_(records.subjects) {
    if (!subjects_.empty()) held_.resize(*std::max_element(subjects_.begin(), subjects_.end()) + std::size_t{1});
  }

  bool each_its_own() const { return subjects_.empty(); }

  void add(Row row) {
    if (each_its_own() || held_[subjects_[row]]++ == 0) ++distinct_;
  }

  void remove(Row row) {
    if (each_its_own() || --held_[subjects_[row]] == 0) --distinct_;
  }

  std::int64_t distinct() const { return distinct_; }

  // Records in hand of the subject that a record is about; of a record that is not in hand and its own subject, none.
  std::int64_t held(Row row) const { return each_its_own() ? 0 : held_[subjects_[row]]; }

  // How many subjects there would be if one record, in hand, were exchanged for another, which is not.
  std::int64_t exchanged(Row leaving, Row coming) const {
    if (each_its_own() || subjects_[leaving] == subjects_[coming]) return distinct_;
    return distinct_ - (held_[subjects_[leaving]] == 1) + (held_[subjects_[coming]] == 0);
  }

 private:
  std::span<const std::int32_t> subjects_;
  std::vector<std::int64_t> held_;  // records in hand, by subject
  std::int64_t distinct_ = 0;
};

}  // namespace shoal

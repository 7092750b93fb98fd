// Whom records are about, counted: every record is a subject of its own where none is named.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "search/records.hpp"

namespace shoal {

inline std::size_t numbered_subjects(const Records& records) {
  const auto subjects = records.subjects;
  return subjects.empty() ? 0 : static_cast<std::size_t>(*std::max_element(subjects.begin(), subjects.end())) + 1;
}

// Counts the subjects of the records in hand, as records come and go.
//
// Lifetime: shows the records' subjects, which must outlive it.
class SubjectCount {
 public:
  explicit SubjectCount(const Records& records) : subjects_(records.subjects), held_(numbered_subjects(records), 0) {}

  bool each_its_own() const { return subjects_.empty(); }

  // Takes all records, of which there are so many.
  void add_all(std::int64_t records) {
    for (const std::int32_t subject : subjects_) ++held_[subject];
    distinct_ = each_its_own() ? records : static_cast<std::int64_t>(held_.size());
  }

  void add(Row row) { distinct_ += each_its_own() || held_[subjects_[row]]++ == 0; }

  void remove(Row row) { distinct_ -= each_its_own() || --held_[subjects_[row]] == 0; }

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
  std::vector<std::int32_t> held_;  // records in hand, by subject
  std::int64_t distinct_ = 0;
};

}  // namespace shoal

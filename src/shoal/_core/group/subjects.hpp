// Whom records are about, counted: every record is a subject of its own where none is named.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "search/records.hpp"

namespace shoal {

inline std::int32_t subject_of(const Records& records, Row row) {
  return records.subjects.empty() ? row : records.subjects[row];
}

inline std::size_t numbered_subjects(const Records& records) {
  const auto subjects = records.subjects;
  return subjects.empty() ? 0 : static_cast<std::size_t>(*std::max_element(subjects.begin(), subjects.end())) + 1;
}

// How many subjects still have records that are in no group. Lifetime: keeps a reference to the records.
class SubjectsLeft {
 public:
  explicit SubjectsLeft(const Records& records) : records_(records), left_(numbered_subjects(records), 0) {
    for (const std::int32_t subject : records.subjects) ++left_[subject];
    count_ = records.subjects.empty() ? records.size : static_cast<std::int64_t>(left_.size());
  }

  std::int64_t count() const { return count_; }

  // A record goes into a group.
  void leave(Row row) { count_ -= left_.empty() || --left_[records_.subjects[row]] == 0; }

 private:
  const Records& records_;
  std::vector<std::int32_t> left_;  // records of each subject
  std::int64_t count_;
};

// How many different subjects the group at hand has. Lifetime: keeps a reference to the records.
class SubjectsInGroup {
 public:
  explicit SubjectsInGroup(const Records& records) : records_(records), last_(numbered_subjects(records), -1) {}

  std::int64_t count() const { return count_; }

  // Starts anew with another group.
  void clear() {
    ++group_;
    count_ = 0;
  }

  void add(Row row) { count_ += last_.empty() || std::exchange(last_[records_.subjects[row]], group_) != group_; }

 private:
  const Records& records_;
  std::vector<std::int32_t> last_;  // the group that each subject was in last
  std::int32_t group_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace shoal

// The records that remain, and the questions that partitioners ask about them. Every index gives the same answers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "search/duplicates.hpp"
#include "search/nearest_subjects.hpp"
#include "search/neighbours.hpp"
#include "search/records.hpp"

namespace shoal {

// Lifetime: an index keeps references to the records and duplicates it is made of; both must outlive it. The records do
// not change, and the duplicates only by what the index takes out of their chains.
class RecordIndex {
 public:
  virtual ~RecordIndex() = default;

  virtual std::int64_t size() const = 0;

  // Greatest distance from `place`, then lowest row.
  virtual Row farthest_from(const Place& place) = 0;

  // Finds `row` and its k-1 nearest or, where records have subjects, those of the k-1 nearest other subjects
  // (NearestSubjects); the group is in no particular order but for `row`, which is first.
  // `farthest_too`: farthest_from_last will be asked next, and may be prepared in the same pass.
  virtual void gather(Row row, std::size_t k, std::vector<Row>& group, bool farthest_too) = 0;

  // The record farthest from the one given to gather, once its group is removed.
  virtual Row farthest_from_last() = 0;

  // The nearest record other than `row`, which itself may be in the index or not; at infinity if there is none.
  virtual Neighbour nearest(Row row) = 0;

  // The place of a record of the index, from where it is at hand.
  virtual void locate(Row row, Place& place) const = 0;

  // Takes records out.
  virtual void remove(std::span<const Row> rows) = 0;
  void remove(Row row) { remove({&row, 1}); }

  // The records that remain, of equal ones only the first, in no particular order.
  virtual std::vector<Row> fronts() const = 0;
};

// An index that holds the first of equal records, and lets the next take its place when it leaves.
class FrontIndex : public RecordIndex {
 public:
  FrontIndex(const Records& records, Duplicates& duplicates, std::int64_t size)
      : records_(records),
        duplicates_(duplicates),
        place_(records),
        nearest_(0, -1, duplicates.chain()),
        nearest_subjects_(records.subjects, duplicates.chain()),
        size_(size) {}

  std::int64_t size() const final { return size_; }

  using RecordIndex::remove;
  void remove(std::span<const Row> rows) final {
    size_ -= static_cast<std::int64_t>(rows.size());
    if (duplicates_.chain() == nullptr) return erase(rows);
    leaving_.clear();
    for (const Row row : rows) {
      const bool held = duplicates_.is_front(row);
      const Row heir = duplicates_.unlink(row);
      if (!held) continue;
      if (heir >= 0) {
        replace(row, heir);
      } else {
        leaving_.push_back(row);
      }
    }
    erase(leaving_);
  }

 protected:
  virtual void erase(std::span<const Row> rows) = 0;
  virtual void replace(Row row, Row heir) = 0;

  bool by_subject() const { return !records_.subjects.empty(); }

  void take_group(Row row, std::vector<Row>& group) const {
    group.assign(1, row);
    if (by_subject()) return nearest_subjects_.take(group);
    for (const auto& neighbour : nearest_.found()) group.push_back(neighbour.row);
  }

  const Records& records_;
  Duplicates& duplicates_;
  Place place_;  // of the last record asked about
  Nearest nearest_;
  NearestSubjects nearest_subjects_;

 private:
  std::int64_t size_;
  std::vector<Row> leaving_;
};

// An index of its own kind of search: `seek(collector)` offers it what may be near place_, the same for records and subjects.
template <typename Own>
class SeekingIndex : public FrontIndex {
 public:
  using FrontIndex::FrontIndex;

  void gather(Row row, std::size_t k, std::vector<Row>& group, bool /*farthest_too*/) final {
    locate(row, place_);
    if (by_subject()) {
      nearest_subjects_.reset(k - 1, row);
      own().seek(nearest_subjects_);
    } else {
      nearest_.reset(k - 1, row);
      own().seek(nearest_);
    }
    take_group(row, group);
  }

  Row farthest_from_last() final { return farthest_from(place_); }

  Neighbour nearest(Row row) final {
    locate(row, place_);
    nearest_.reset(1, row);
    own().seek(nearest_);
    return nearest_.first();
  }

 private:
  Own& own() { return static_cast<Own&>(*this); }
};

// The index that `engine` names: "tree", "scan", "lists" for records of codes alone, or "auto" for whatever promises to be
// faster, reconsidered as it goes.
std::unique_ptr<RecordIndex> make_index(const std::string& engine, const Records& records,
                                        Duplicates& duplicates);

}  // namespace shoal

// The nearest subjects to a record, where k counts subjects and not records.
//
// Of each of the nearest other subjects its nearest record is found; the last of these is at the distance R. Other
// records of the subjects found, and of the centre's own, come along if they lie within three quarters of R. To take them
// along up to R itself, or not at all, loses more information: docs/mdav.md has the comparison.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "platform.hpp"
#include "search/neighbours.hpp"
#include "search/records.hpp"

namespace shoal {

// A record comes along if it is nearer than this, in squared distances as multiples of the last one's.
inline constexpr double kAlong = 0.5625;

// Lifetime: `subjects` and `next` must outlive the collector.
class NearestSubjects final : public NearCollector {
 public:
  // `next`, where given, chains rows of equal records, each about a subject of its own (duplicates.hpp): whoever offers
  // a row offers its chain.
  NearestSubjects(std::span<const std::int32_t> subjects, const Row* next) : subjects_(subjects), next_(next) {
    if (!subjects.empty()) places_.assign(*std::max_element(subjects.begin(), subjects.end()) + 1, kNowhere);
  }

  // Starts anew, to find `capacity` subjects other than that of `centre`; at least one.
  void reset(std::size_t capacity, Row centre) {
    for (const Entry& entry : heap_) places_[entry.subject] = kNowhere;
    heap_.clear();
    others_.clear();
    capacity_ = capacity;
    centre_ = centre;
    bound_ = std::numeric_limits<double>::infinity();
  }

  // Asks for the subject of a row, ahead of an offer: rows of a leaf are far apart in the table.
  void fetch(Row row) const { prefetch(subjects_.data() + row); }

  void offer(double distance, Row row) override {
    if (next_ == nullptr) {
      if (row != centre_) consider({distance, row});
      return;
    }
    for (; row >= 0; row = next_[row]) {
      if (row != centre_ && !consider({distance, row})) return;
    }
  }

  Row last() const override { return heap_.front().nearest.row; }

  // Whether a record at this distance, with this row or a higher one, can still matter.
  bool open_to(double distance, Row row) const {
    return heap_.size() < capacity_ || Neighbour{distance, row} < heap_.front().nearest;
  }

  // Appends what was found: the nearest record of each subject, and what comes along.
  void take(std::vector<Row>& group) const {
    for (const Entry& entry : heap_) group.push_back(entry.nearest.row);
    if (heap_.empty()) return;
    const double limit = kAlong * heap_.front().nearest.distance;
    for (const Neighbour& other : others_) {
      if (other.distance < limit) group.push_back(other.row);
    }
  }

 private:
  static constexpr std::int32_t kNowhere = -1;

  struct Entry {
    Neighbour nearest;
    std::int32_t subject;
  };

  // False if no record equal to this one with a higher row can matter either: one that is no nearer than the last
  // subject neither is a subject's nearest nor comes along.
  bool consider(const Neighbour& candidate) {
    if (!open_to(candidate.distance, candidate.row)) return false;
    const bool full = heap_.size() == capacity_;
    const std::int32_t subject = subjects_[candidate.row];
    if (subject == subjects_[centre_]) {
      others_.push_back(candidate);
      return true;
    }
    const std::int32_t place = places_[subject];
    if (place != kNowhere) {
      Neighbour& nearest = heap_[place].nearest;
      others_.push_back(std::max(nearest, candidate));
      if (!(candidate < nearest)) return true;
      sink(place, {candidate, subject});
    } else if (!full) {
      heap_.emplace_back();
      rise(heap_.size() - 1, {candidate, subject});
    } else {
      places_[heap_.front().subject] = kNowhere;
      sink(0, {candidate, subject});
    }
    if (heap_.size() == capacity_) bound_ = heap_.front().nearest.distance;
    return true;
  }

  // A heap with the farthest on top. Puts the entry into the hole, or wherever below it belongs.
  void sink(std::size_t hole, const Entry& entry) {
    for (std::size_t child = 2 * hole + 1; child < heap_.size(); child = 2 * hole + 1) {
      if (child + 1 < heap_.size() && heap_[child].nearest < heap_[child + 1].nearest) ++child;
      if (!(entry.nearest < heap_[child].nearest)) break;
      put(hole, heap_[child]);
      hole = child;
    }
    put(hole, entry);
  }

  void rise(std::size_t hole, const Entry& entry) {
    for (; hole > 0 && heap_[(hole - 1) / 2].nearest < entry.nearest; hole = (hole - 1) / 2) {
      put(hole, heap_[(hole - 1) / 2]);
    }
    put(hole, entry);
  }

  void put(std::size_t place, const Entry& entry) {
    heap_[place] = entry;
    places_[entry.subject] = static_cast<std::int32_t>(place);
  }

  std::span<const std::int32_t> subjects_;
  const Row* next_;
  std::vector<std::int32_t> places_;  // where each subject stands in the heap
  std::vector<Entry> heap_;
  std::vector<Neighbour> others_;  // further records of the subjects found so far, or once found
  std::size_t capacity_ = 0;
  Row centre_ = -1;
};

}  // namespace shoal

// How many records of a group have each code, in the order of the codes. Groups that merge add theirs up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace shoal {

class Histogram {
 public:
  struct Entry {
    std::int32_t code;
    std::int32_t records;
  };

  // Counts codes, which are sorted on the way.
  void assign(std::vector<std::int32_t>& codes) {
    std::sort(codes.begin(), codes.end());
    assign_sorted(codes);
  }

  void assign_sorted(std::span<const std::int32_t> codes) {
    entries_.clear();
    for (const std::int32_t code : codes) {
      if (entries_.empty() || entries_.back().code != code) entries_.push_back({code, 0});
      ++entries_.back().records;
    }
    records_ = static_cast<std::int64_t>(codes.size());
  }

  std::int64_t records() const { return records_; }
  std::span<const Entry> entries() const { return entries_; }

  // Takes over all of another: O(smaller · log larger), and one move of what stands between the new codes.
  void absorb(Histogram& other) {
    if (entries_.size() < other.entries_.size()) std::swap(entries_, other.entries_);
    records_ += other.records_;
    std::vector<Entry>& added = other.entries_;
    const auto is_new = [&](const Entry& entry) {
      const auto place = find(entries_.end(), entry.code);
      if (place == entries_.end() || place->code != entry.code) return true;
      place->records += entry.records;
      return false;
    };
    added.erase(std::stable_partition(added.begin(), added.end(), is_new), added.end());
    auto end = entries_.insert(entries_.end(), added.begin(), added.end());
    for (auto gap = added.size(); gap > 0; --gap) {
      const auto place = find(end, added[gap - 1].code);
      std::move_backward(place, end, end + static_cast<std::ptrdiff_t>(gap));
      end = place;
      *(end + static_cast<std::ptrdiff_t>(gap) - 1) = added[gap - 1];
    }
    other = {};
  }

 private:
  // The first entry before `end` with this code or a greater one.
  std::vector<Entry>::iterator find(std::vector<Entry>::iterator end, std::int32_t code) {
    return std::lower_bound(entries_.begin(), end, code, [](const Entry& e, std::int32_t c) { return e.code < c; });
  }

  std::vector<Entry> entries_;
  std::int64_t records_ = 0;
};

}  // namespace shoal

// The records that remain, where all attributes are codes: for each code a list of the records that have it.
//
// Whoever shares no code with a place is as far from it as can be, and most records do where categories are many. So the
// lists of the place's own codes have all that are nearer, and the others are at one distance, the lowest row first: a
// question takes no longer than these lists are, however many records there are. A tree cannot tell them apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "search/record_index.hpp"
#include "search/row_set.hpp"
#include "tuning.hpp"

namespace shoal {

class CodeListIndex final : public SeekingIndex<CodeListIndex> {
 public:
  CodeListIndex(const Records& records, Duplicates& duplicates)
      : SeekingIndex(records, duplicates, duplicates.size()),
        width_(records.code_count),
        codes_(records.size * width_),
        slots_(records.size * width_),
        members_(duplicates.fronts().size() * width_),
        rows_(records.size) {
    for (int j = 0; j < width_; ++j) {
      for (std::int64_t row = 0; row < records.size; ++row) codes_[row * width_ + j] = records.code(row, j);
      unlike_ += records.code_weights[j];
    }
    const std::vector<Row>& fronts = duplicates.fronts();
    std::int64_t start = 0;
    for (int j = 0; j < width_; ++j) {
      bases_.push_back(static_cast<std::int64_t>(starts_.size()));
      for (const std::int64_t length : lengths(records, fronts, j)) {
        starts_.push_back(start);
        start += length;
      }
    }
    ends_ = starts_;
    for (const Row row : fronts) {
      rows_.add(row);
      for (int j = 0; j < width_; ++j) put(row, j, ends_[list(j, codes(row)[j])]++);
    }
  }

  // Whether lists are short enough that a tree or a scan would take longer, whatever is asked.
  static bool suits(const Records& records, std::span<const Row> fronts) {
    if (records.number_count() > 0 || records.code_count == 0) return false;
    std::int64_t longest = 0;
    for (int j = 0; j < records.code_count; ++j) {
      const std::vector<std::int64_t> all = lengths(records, fronts, j);
      longest += all.empty() ? 0 : *std::max_element(all.begin(), all.end());
      if (longest > tuning::kLongLists || 8 * longest > static_cast<std::int64_t>(fronts.size())) return false;
    }
    return true;
  }

  Row farthest_from(const Place& place) override {
    Farthest farthest;
    for (Row row = rows_.from(0); row >= 0; row = rows_.from(row + 1)) {
      farthest.offer(distance(row, place), row);
      if (farthest.distance >= unlike_) break;
    }
    return farthest.row;
  }

  void locate(Row row, Place& place) const override { std::copy_n(codes(row), width_, place.codes.begin()); }

  std::vector<Row> fronts() const override {
    std::vector<Row> rows;
    for (Row row = rows_.from(0); row >= 0; row = rows_.from(row + 1)) rows.push_back(row);
    return rows;
  }

 private:
  friend class SeekingIndex<CodeListIndex>;

  // How many of the rows have each code of an attribute.
  static std::vector<std::int64_t> lengths(const Records& records, std::span<const Row> rows, int attribute) {
    const std::int32_t* column = records.codes + attribute * records.size;
    std::vector<std::int64_t> counts(records.size == 0 ? 0 : *std::max_element(column, column + records.size) + 1, 0);
    for (const Row row : rows) ++counts[column[row]];
    return counts;
  }

  const std::int32_t* codes(Row row) const { return codes_.data() + static_cast<std::int64_t>(row) * width_; }
  std::int64_t list(int attribute, std::int32_t code) const { return bases_[attribute] + code; }

  void put(Row row, int attribute, std::int64_t slot) {
    members_[slot] = row;
    slots_[static_cast<std::int64_t>(row) * width_ + attribute] = static_cast<std::int64_t>(slot);
  }

  // As squared_distance in records.hpp, without numbers.
  double distance(Row row, const Place& from) const {
    const std::int32_t* own = codes(row);
    double sum = 0.0;
    for (int j = 0; j < width_; ++j) {
      if (own[j] != from.codes[j]) sum += records_.code_weights[j];
    }
    return sum;
  }

  // The first attribute in which a record has the place's code, or their number.
  int first_shared(Row row) const {
    const std::int32_t* own = codes(row);
    int j = 0;
    while (j < width_ && own[j] != place_.codes[j]) ++j;
    return j;
  }

  template <class Collector>
  void seek(Collector& collector) const {
    for (int j = 0; j < width_; ++j) {
      const std::int64_t at = list(j, place_.codes[j]);
      for (std::int64_t slot = starts_[at]; slot < ends_[at]; ++slot) {
        const Row row = members_[slot];
        if (first_shared(row) == j) collector.offer(distance(row, place_), row);  // each once
      }
    }
    for (Row row = rows_.from(0); row >= 0 && collector.open_to(unlike_, row); row = rows_.from(row + 1)) {
      if (first_shared(row) == width_) collector.offer(unlike_, row);
    }
  }

  void erase(std::span<const Row> rows) override {
    for (const Row row : rows) {
      rows_.remove(row);
      for (int j = 0; j < width_; ++j) {
        const std::int64_t slot = slots_[static_cast<std::int64_t>(row) * width_ + j];
        put(members_[--ends_[list(j, codes(row)[j])]], j, slot);
      }
    }
  }

  // Equal records have the same codes, and so the same lists.
  void replace(Row row, Row heir) override {
    rows_.remove(row);
    rows_.add(heir);
    for (int j = 0; j < width_; ++j) put(heir, j, slots_[static_cast<std::int64_t>(row) * width_ + j]);
  }

  std::int64_t width_;
  std::vector<std::int32_t> codes_;  // record by record
  std::vector<std::int64_t> slots_;  // where each record stands in each of its lists
  std::vector<Row> members_;         // list after list
  std::vector<std::int64_t> bases_, starts_, ends_;  // the first list of each attribute; where lists begin and end
  RowSet rows_;
  double unlike_ = 0.0;  // the distance of records that share nothing
};

}  // namespace shoal

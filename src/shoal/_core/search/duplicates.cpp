#include "search/duplicates.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>

#include "tuning.hpp"

namespace shoal {
namespace {

bool equal(const Records& records, Row a, Row b) {
  for (int j = 0; j < records.number_count(); ++j) {
    if (records.number(a, j) != records.number(b, j)) return false;
  }
  for (int j = 0; j < records.code_count; ++j) {
    if (records.code(a, j) != records.code(b, j)) return false;
  }
  return true;
}

std::uint64_t hash(const Records& records, Row row, std::uint64_t mixed) {
  const auto mix = [&mixed](std::uint64_t value) {
    mixed = (std::rotl(mixed, 27) ^ value) * 0x9e3779b97f4a7c15U;
    mixed ^= mixed >> 29;
  };
  // 0.0 + x: equal numbers hash alike, and 0.0 equals -0.0.
  for (int j = 0; j < records.number_count(); ++j) mix(std::bit_cast<std::uint64_t>(0.0 + records.number(row, j)));
  for (int j = 0; j < records.code_count; ++j) mix(static_cast<std::uint32_t>(records.code(row, j)));
  return mixed;
}

// A hash table of rows with open addressing: the last row seen of each set of equal records, or, by subject, of each set
// of equal records of one subject.
class Table {
 public:
  Table(const Records& records, std::size_t rows, bool by_subject = false)
      : records_(records), by_subject_(by_subject), slots_(std::bit_ceil(2 * rows + 1), -1), mask_(slots_.size() - 1) {}

  // The row equal to this one that was seen last (or -1), whose place it takes.
  Row exchange(Row row) {
    std::size_t slot = hash(records_, row, by_subject_ ? records_.subjects[row] : 0) & mask_;
    while (slots_[slot] >= 0 && !same(slots_[slot], row)) slot = (slot + 1) & mask_;
    return std::exchange(slots_[slot], row);
  }

 private:
  bool same(Row a, Row b) const {
    return (!by_subject_ || records_.subjects[a] == records_.subjects[b]) && equal(records_, a, b);
  }

  const Records& records_;
  bool by_subject_;
  std::vector<Row> slots_;
  std::size_t mask_;
};

// Whether there seem to be less than about a quarter as many different records as rows, by a sample.
bool worth_while(const Records& records, std::span<const Row> rows) {
  const auto size = static_cast<std::int64_t>(rows.size());
  const std::int64_t sample = std::min(size, tuning::kDuplicateSample);
  Table table(records, static_cast<std::size_t>(sample));
  std::int64_t repeated = 0;
  for (std::int64_t i = 0; i < sample; ++i) repeated += table.exchange(rows[i * size / sample]) >= 0;
  // Among D different records, many more than the sample, about sample^2 / 2D in it are repeated.
  return repeated > sample / 2 || (sample < size && static_cast<double>(repeated * size) >
                                                        2.0 * static_cast<double>(sample * sample));
}

}  // namespace

// Chains repeats to the first record of their subject that they agree with, and returns all other rows.
std::vector<Row> Duplicates::find_repeats(const Records& records) {
  std::vector<Row> rows;
  rows.reserve(records.size);
  Table table(records, static_cast<std::size_t>(records.size), true);
  for (Row row = 0; row < records.size; ++row) {
    const Row before = table.exchange(row);
    if (before < 0) {
      rows.push_back(row);
    } else {
      if (repeats_.empty()) repeats_.assign(records.size, -1);
      repeats_[before] = row;
    }
  }
  return rows;
}

Duplicates::Duplicates(const Records& records) {
  std::vector<Row> rows;
  if (records.subjects.empty()) {
    rows.resize(records.size);
    std::iota(rows.begin(), rows.end(), Row{0});
  } else {
    rows = find_repeats(records);
  }
  size_ = static_cast<std::int64_t>(rows.size());
  if (!worth_while(records, rows)) {
    fronts_ = std::move(rows);
    return;
  }
  next_.assign(records.size, -1);
  previous_.assign(records.size, -1);
  Table table(records, rows.size());
  for (const Row row : rows) {
    previous_[row] = table.exchange(row);
    if (previous_[row] >= 0) {
      next_[previous_[row]] = row;
    } else {
      fronts_.push_back(row);
    }
  }
}

std::vector<Row> Duplicates::expand(std::span<const Row> heads) const {
  if (next_.empty()) return {heads.begin(), heads.end()};
  std::vector<Row> rows;
  for (const Row head : heads) {
    for (Row row = head; row >= 0; row = next_[row]) rows.push_back(row);
  }
  return rows;
}

}  // namespace shoal

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

std::uint64_t hash(const Records& records, Row row) {
  std::uint64_t mixed = 0;
  const auto mix = [&mixed](std::uint64_t value) {
    mixed = (std::rotl(mixed, 27) ^ value) * 0x9e3779b97f4a7c15U;
    mixed ^= mixed >> 29;
  };
  // 0.0 + x: equal numbers hash alike, and 0.0 equals -0.0.
  for (int j = 0; j < records.number_count(); ++j) mix(std::bit_cast<std::uint64_t>(0.0 + records.number(row, j)));
  for (int j = 0; j < records.code_count; ++j) mix(static_cast<std::uint32_t>(records.code(row, j)));
  return mixed;
}

// A hash table of rows with open addressing: the last row seen of each set of equal records.
class Table {
 public:
  Table(const Records& records, std::size_t rows)
      : records_(records), slots_(std::bit_ceil(2 * rows + 1), -1), mask_(slots_.size() - 1) {}

  // The row equal to this one that was seen last (or -1), whose place it takes.
  Row exchange(Row row) {
    std::size_t slot = hash(records_, row) & mask_;
    while (slots_[slot] >= 0 && !equal(records_, slots_[slot], row)) slot = (slot + 1) & mask_;
    return std::exchange(slots_[slot], row);
  }

 private:
  const Records& records_;
  std::vector<Row> slots_;
  std::size_t mask_;
};

// Whether there seem to be less than about a quarter as many different records as records, by a sample.
bool worth_while(const Records& records) {
  const std::int64_t sample = std::min(records.size, tuning::kDuplicateSample);
  Table table(records, static_cast<std::size_t>(sample));
  std::int64_t repeated = 0;
  for (std::int64_t i = 0; i < sample; ++i) {
    repeated += table.exchange(static_cast<Row>(i * records.size / sample)) >= 0;
  }
  // Among D different records, many more than the sample, about sample^2 / 2D in it are repeated.
  return repeated > sample / 2 || (sample < records.size && static_cast<double>(repeated * records.size) >
                                                                 2.0 * static_cast<double>(sample * sample));
}

}  // namespace

std::vector<Row> Duplicates::expand(std::span<const Row> heads) const {
  if (next.empty()) return {heads.begin(), heads.end()};
  std::vector<Row> rows;
  for (const Row head : heads) {
    for (Row row = head; row >= 0; row = next[row]) rows.push_back(row);
  }
  return rows;
}

Duplicates find_duplicates(const Records& records) {
  Duplicates found;
  if (!worth_while(records)) {
    found.fronts.resize(records.size);
    std::iota(found.fronts.begin(), found.fronts.end(), Row{0});
    return found;
  }
  found.next.assign(records.size, -1);
  Table table(records, static_cast<std::size_t>(records.size));
  for (Row row = 0; row < records.size; ++row) {
    const Row before = table.exchange(row);
    if (before >= 0) {
      found.next[before] = row;
    } else {
      found.fronts.push_back(row);
    }
  }
  return found;
}

}  // namespace shoal

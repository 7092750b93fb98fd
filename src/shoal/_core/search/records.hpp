// Records as the kernels see them: a view of shoal.points.Points, nothing copied.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shoal {

using Row = std::int32_t;

// Whoever makes one keeps the memory behind it (RecordArrays, Centroids, a vector) in place for as long as it is read.
struct Records {
  std::int64_t size = 0;
  const double* coords = nullptr;  // column-major (size, coord_count)
  int coord_count = 0;
  const std::int32_t* ranks = nullptr;  // column-major (size, rank_count)
  int rank_count = 0;
  std::span<const double> rank_steps;
  std::span<const std::int32_t> rank_levels;
  std::span<const bool> rank_convex;
  const std::int32_t* codes = nullptr;  // column-major (size, code_count)
  int code_count = 0;
  std::span<const double> code_weights;
  std::span<const std::int32_t> code_levels;
  // Whom each record is about, numbered from 0 without gaps; empty where every record is a subject of its own.
  std::span<const std::int32_t> subjects;

  // Continuous and ordinal attributes alike are numbers; only nominal ones are not.
  int number_count() const { return coord_count + rank_count; }

  double number(std::int64_t row, int attribute) const {
    if (attribute < coord_count) return coords[attribute * size + row];
    const int ordinal = attribute - coord_count;
    return rank(row, ordinal) * rank_steps[ordinal];
  }
  std::int32_t rank(std::int64_t row, int ordinal) const { return ranks[ordinal * size + row]; }
  std::int32_t code(std::int64_t row, int nominal) const { return codes[nominal * size + row]; }
};

// One record, real or average, as a point to measure distances from.
struct Place {
  std::vector<double> numbers;
  std::vector<std::int32_t> codes;

  Place() = default;
  explicit Place(const Records& records) : numbers(records.number_count()), codes(records.code_count) {}

  void set(const Records& records, std::int64_t row) {
    for (int j = 0; j < records.number_count(); ++j) numbers[j] = records.number(row, j);
    for (int j = 0; j < records.code_count; ++j) codes[j] = records.code(row, j);
  }
};

// The squared distance, added attribute by attribute in the one order every kernel and twin keeps.
inline double squared_distance(const Records& records, std::int64_t row, const Place& from) {
  double sum = 0.0;
  for (int j = 0; j < records.number_count(); ++j) {
    const double difference = from.numbers[j] - records.number(row, j);
    sum += difference * difference;
  }
  for (int j = 0; j < records.code_count; ++j) {
    if (records.code(row, j) != from.codes[j]) sum += records.code_weights[j];
  }
  return sum;
}

}  // namespace shoal

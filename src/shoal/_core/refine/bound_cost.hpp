// What a group of `size` records costs at least, and how much of it each pair of records accounts for.
//
// The cost of a group is the sum of squared distances to what is released for it: any place in continuous attributes, one
// of the categories in the others. So it is at least
//
//   F(T) = squared deviations from the mean + those from the best whole rank + weight × records without the commonest code
//
// and exactly that where there are no ordinal attributes. F(T) in turn is at least the sum over the pairs of T of
// pair(a, b) / size, and exactly that for continuous attributes. An ordinal attribute counts as a number in a pair. A
// nominal one counts weight × size / (size − 1): of m records with the commonest of s codes, m < s, at most
// (s − m)(s + m − 1) / 2 ≤ (s − m)(s − 1) pairs differ.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "search/records.hpp"

namespace shoal {

// Copies the records row by row; nothing is kept of the arrays they came from.
class BoundCost {
 public:
  BoundCost(const Records& records, std::int64_t size)
      : size_(static_cast<double>(size)),
        coord_count_(records.coord_count),
        rank_count_(records.rank_count),
        code_count_(records.code_count),
        coords_(static_cast<std::size_t>(records.size) * coord_count_),
        ranks_(static_cast<std::size_t>(records.size) * rank_count_),
        codes_(static_cast<std::size_t>(records.size) * code_count_),
        rank_steps_(records.rank_steps.begin(), records.rank_steps.end()),
        code_weights_(records.code_weights.begin(), records.code_weights.end()) {
    for (std::int64_t i = 0; i < records.size; ++i) {
      for (int j = 0; j < coord_count_; ++j) coords_[i * coord_count_ + j] = records.coords[j * records.size + i];
      for (int j = 0; j < rank_count_; ++j) ranks_[i * rank_count_ + j] = records.rank(i, j);
      for (int j = 0; j < code_count_; ++j) codes_[i * code_count_ + j] = records.code(i, j);
    }
    for (const double weight : code_weights_) pair_weights_.push_back(weight * size_ / (size_ - 1.0));
  }

  std::span<const double> pair_weights() const { return pair_weights_; }

  double pair(Row a, Row b) const {
    const double* x = coords_.data() + static_cast<std::size_t>(a) * coord_count_;
    const double* y = coords_.data() + static_cast<std::size_t>(b) * coord_count_;
    double sum = 0.0;
    for (int j = 0; j < coord_count_; ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
    if (rank_count_ + code_count_ == 0) return sum;
    for (int j = 0; j < rank_count_; ++j) {
      const double steps = (rank(a, j) - rank(b, j)) * rank_steps_[j];
      sum += steps * steps;
    }
    for (int j = 0; j < code_count_; ++j) {
      if (code(a, j) != code(b, j)) sum += pair_weights_[j];
    }
    return sum;
  }

  // F(T), where the pairs of T add up to `pairs`.
  double of(std::span<const Row> set, double pairs) const {
    if (rank_count_ + code_count_ == 0) return pairs / size_;
    double sum = 0.0;
    for (std::size_t a = 1; a < set.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        for (int j = 0; j < coord_count_; ++j) {
          const double difference = coord(set[a], j) - coord(set[b], j);
          sum += difference * difference;
        }
      }
    }
    sum /= size_;
    for (int j = 0; j < rank_count_; ++j) sum += rank_steps_[j] * rank_steps_[j] * squares_of_ranks(set, j);
    for (int j = 0; j < code_count_; ++j) sum += code_weights_[j] * uncommon(set, j);
    return sum;
  }

 private:
  double coord(Row row, int j) const { return coords_[static_cast<std::size_t>(row) * coord_count_ + j]; }
  std::int32_t rank(Row row, int j) const { return ranks_[static_cast<std::size_t>(row) * rank_count_ + j]; }
  std::int32_t code(Row row, int j) const { return codes_[static_cast<std::size_t>(row) * code_count_ + j]; }

  // Squared differences to the best whole rank, one of the two next to the mean.
  double squares_of_ranks(std::span<const Row> set, int j) const {
    std::int64_t total = 0;
    for (const Row row : set) total += rank(row, j);
    const std::int64_t below = total / static_cast<std::int64_t>(set.size());
    double low = 0.0, high = 0.0;
    for (const Row row : set) {
      const auto steps = static_cast<double>(rank(row, j) - below);
      low += steps * steps;
      high += (steps - 1.0) * (steps - 1.0);
    }
    return std::min(low, high);
  }

  double uncommon(std::span<const Row> set, int j) const {
    std::ptrdiff_t most = 0;
    for (const Row row : set) {
      most = std::max(most, std::count_if(set.begin(), set.end(), [&](Row other) {
                        return code(other, j) == code(row, j);
                      }));
    }
    return static_cast<double>(static_cast<std::ptrdiff_t>(set.size()) - most);
  }

  double size_;
  int coord_count_, rank_count_, code_count_;
  std::vector<double> coords_;
  std::vector<std::int32_t> ranks_, codes_;
  std::vector<double> rank_steps_, code_weights_, pair_weights_;
};

}  // namespace shoal

// The average records of groups that merge: mean, median or convex median, mode.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "close/histogram.hpp"
#include "exact/double_double.hpp"
#include "exact/exact_sum.hpp"
#include "group/groups.hpp"
#include "group/rank_centre.hpp"
#include "search/records.hpp"

namespace shoal {

// A sum of doubles as two doubles, high + low, as long as that holds it exactly.
struct PairSum {
  double high = 0.0;
  double low = 0.0;
  bool exact = true;

  static PairSum of(ExactSum sum) {
    PairSum pair;
    pair.high = sum.rounded();
    sum.subtract(pair.high);
    pair.low = sum.rounded();
    sum.subtract(pair.low);
    pair.exact = sum.rounded() == 0.0;
    return pair;
  }

  // The two sums in one; not exact where bits are lost on the way.
  static PairSum add(const PairSum& a, const PairSum& b) {
    const auto [high, error] = two_sum(a.high, b.high);
    const auto [low, lost] = two_sum(a.low, b.low);
    const auto [tail, lost_too] = two_sum(error, low);
    const auto [rounded, rest] = two_sum(high, tail);
    return {rounded, rest, a.exact && b.exact && lost == 0.0 && lost_too == 0.0};
  }
};

// Groups of records, numbered as given. Merging two leaves the union under the lower number.
//
// Lifetime: keeps a reference to the records, which must outlive it; its own view() shows memory in here, which stays
// in place for as long as the object does, and changes with merge().
class Centroids {
 public:
  Centroids(const Records& records, const Groups& groups)
      : records_(records),
        size_(groups.size()),
        counts_(size_),
        first_(size_),
        last_(size_),
        next_(records.size, -1),
        sums_(size_ * records.coord_count),
        histograms_(size_ * (records.rank_count + records.code_count)),
        numbers_(size_ * records.number_count()),
        codes_(size_ * records.code_count) {
    for (std::int64_t group = 0; group < size_; ++group) {
      const auto rows = groups[group];
      counts_[group] = static_cast<std::int64_t>(rows.size());
      first_[group] = rows.front();
      last_[group] = rows.back();
      for (std::size_t i = 1; i < rows.size(); ++i) next_[rows[i - 1]] = rows[i];
      for (int j = 0; j < records.coord_count; ++j) sum(group, j) = add_up(group, j);
      for (int j = 0; j < records.rank_count + records.code_count; ++j) histogram(group, j) = count(rows, j);
      locate(group);
    }
  }

  std::int64_t size() const { return size_; }
  std::int64_t count(std::int64_t group) const { return counts_[group]; }

  // The average records as records: continuous and ordinal attributes as coordinates, nominal ones as codes.
  Records view() const {
    Records view;
    view.size = size_;
    view.coords = numbers_.data();
    view.coord_count = records_.number_count();
    view.codes = codes_.data();
    view.code_count = records_.code_count;
    view.code_weights = records_.code_weights;
    view.code_levels = records_.code_levels;
    return view;
  }

  template <class Visit>
  void each_row(std::int64_t group, Visit visit) const {
    for (Row row = first_[group]; row >= 0; row = next_[row]) visit(row);
  }

  void merge(std::int64_t kept, std::int64_t gone) {
    counts_[kept] += counts_[gone];
    next_[last_[kept]] = first_[gone];
    last_[kept] = last_[gone];
    for (int j = 0; j < records_.coord_count; ++j) {
      sum(kept, j) = PairSum::add(sum(kept, j), sum(gone, j));
      if (!sum(kept, j).exact) sum(kept, j) = add_up(kept, j);
    }
    for (int j = 0; j < records_.rank_count + records_.code_count; ++j) {
      histogram(kept, j).absorb(histogram(gone, j));
    }
    locate(kept);
  }

 private:
  PairSum& sum(std::int64_t group, int coord) { return sums_[group * records_.coord_count + coord]; }
  Histogram& histogram(std::int64_t group, int attribute) {
    return histograms_[group * (records_.rank_count + records_.code_count) + attribute];
  }

  PairSum add_up(std::int64_t group, int coord) const {
    ExactSum total;
    each_row(group, [&](Row row) { total.add(records_.number(row, coord)); });
    return PairSum::of(total);
  }

  Histogram count(std::span<const Row> rows, int attribute) const {
    const bool ordinal = attribute < records_.rank_count;
    std::vector<std::int32_t> values;
    for (const Row row : rows) {
      values.push_back(ordinal ? records_.rank(row, attribute) : records_.code(row, attribute - records_.rank_count));
    }
    Histogram counted;
    counted.assign(values);
    return counted;
  }

  void locate(std::int64_t group) {
    for (int j = 0; j < records_.coord_count; ++j) {
      numbers_[j * size_ + group] = sum(group, j).high / static_cast<double>(counts_[group]);
    }
    for (int j = 0; j < records_.rank_count; ++j) {
      const std::int32_t middle = rank_centre_(histogram(group, j).entries(), counts_[group], records_.rank_convex[j]);
      numbers_[(records_.coord_count + j) * size_ + group] = middle * records_.rank_steps[j];
    }
    for (int j = 0; j < records_.code_count; ++j) {
      const auto counted = histogram(group, records_.rank_count + j).entries();
      const auto fewer = [](const auto& one, const auto& other) { return one.records < other.records; };
      codes_[j * size_ + group] = std::max_element(counted.begin(), counted.end(), fewer)->code;
    }
  }

  const Records& records_;
  std::int64_t size_;
  std::vector<std::int64_t> counts_;
  std::vector<Row> first_, last_, next_;  // the rows of each group, as a list
  std::vector<PairSum> sums_;
  std::vector<Histogram> histograms_;  // ordinal attributes first, then nominal ones
  RankCentre rank_centre_;
  std::vector<double> numbers_;        // column-major
  std::vector<std::int32_t> codes_;    // column-major
};

}  // namespace shoal

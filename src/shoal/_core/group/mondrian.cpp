// Mondrian (LeFevre et al. 2006), for averages: cells are cut in two at the attribute in which they differ most, as long
// as both halves have k subjects.
//
// Cuts fall on multiples of k records, next to the median, so that nearly all cells end with k. Rows stay in order inside
// each cell, and what is added up over a cell is added in their order: the answer is the same everywhere.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "group/subject_count.hpp"
#include "progress.hpp"
#include "search/lines.hpp"
#include "search/record_arrays.hpp"

namespace shoal {
namespace {

class Mondrian {
 public:
  Mondrian(const Records& records, std::int64_t k, Progress& progress)
      : records_(records),
        k_(k),
        progress_(progress),
        numbers_(records.number_count()),
        width_(numbers_ + records.code_count),
        values_(static_cast<std::size_t>(records.size) * width_),
        rows_(records.size),
        keys_(records.size),
        labels_(records.size),
        counted_(records) {
    std::iota(rows_.begin(), rows_.end(), Row{0});
    const int exponent = greatest_exponent();
    for (std::int64_t row = 0; row < records.size; ++row) {
      double* const line = values_.data() + row * width_;
      for (int j = 0; j < numbers_; ++j) line[j] = std::ldexp(records.number(row, j), -exponent);
      for (int j = numbers_; j < width_; ++j) line[j] = records.code(row, j - numbers_);
    }
    for (const double weight : records.code_weights) weights_.push_back(std::ldexp(weight, -2 * exponent));
  }

  std::vector<std::int64_t> labels() {
    cut(rows_);
    return std::move(labels_);
  }

 private:
  // Of the greatest number: all are told in its power of two, so that their squares stay within the doubles.
  int greatest_exponent() const {
    double greatest = 0.0;
    for (int j = 0; j < numbers_; ++j) {
      for (std::int64_t row = 0; row < records_.size; ++row) {
        greatest = std::max(greatest, std::abs(records_.number(row, j)));
      }
    }
    return greatest > 0.0 ? std::ilogb(greatest) + 1 : 0;
  }

  void cut(std::span<Row> cell) {
    const auto size = static_cast<std::int64_t>(cell.size());
    const std::int64_t middle = size / k_ / 2 * k_;
    if (middle > 0) {
      for (const auto& [spread, attribute] : by_spread(cell)) {
        if (!halve(cell, attribute, middle)) continue;
        cut(cell.first(middle));
        cut(cell.subspan(middle));
        return;
      }
    }
    for (const Row row : cell) labels_[row] = groups_;
    ++groups_;
    settled_ += size;
    progress_.tick(settled_);
  }

  // The attributes by the expected squared difference of two records, halved: the greatest first, then the first.
  // Where each record is its own subject any cut will do, so the first is all that is looked for.
  std::vector<std::pair<double, int>> by_spread(std::span<const Row> cell) {
    std::vector<std::pair<double, int>> spreads;
    const auto size = static_cast<double>(cell.size());
    sums_.assign(2 * numbers_, 0.0);
    const double* const base = line(cell[0]);
    for (const Row row : cell) {
      const double* const here = line(row);
      for (int j = 0; j < numbers_; ++j) {
        const double apart = here[j] - base[j];
        sums_[2 * j] += apart;
        sums_[2 * j + 1] += apart * apart;
      }
    }
    for (int j = 0; j < numbers_; ++j) {
      spreads.push_back({(sums_[2 * j + 1] - sums_[2 * j] * sums_[2 * j] / size) / size, j});
    }
    for (int j = numbers_; j < width_; ++j) {
      codes_.clear();
      for (const Row row : cell) codes_.push_back(line(row)[j]);
      std::sort(codes_.begin(), codes_.end());
      double same = 0.0;
      for (auto first = codes_.begin(); first != codes_.end();) {
        const auto last = std::upper_bound(first, codes_.end(), *first);
        same += static_cast<double>(last - first) * static_cast<double>(last - first);
        first = last;
      }
      spreads.push_back({weights_[j - numbers_] * (1.0 - same / (size * size)) / 2.0, j});
    }
    const auto before = [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; };
    if (counted_.each_its_own()) return {*std::min_element(spreads.begin(), spreads.end(), before)};
    std::sort(spreads.begin(), spreads.end(), before);
    return spreads;
  }

  // Puts the `middle` least in an attribute first, each half in the order of rows, unless one has too few subjects.
  bool halve(std::span<Row> cell, int attribute, std::int64_t middle) {
    const std::span<Keyed> keys = std::span(keys_).first(cell.size());
    for (std::size_t i = 0; i < cell.size(); ++i) keys[i] = {line(cell[i])[attribute], cell[i]};
    std::nth_element(keys.begin(), keys.begin() + middle, keys.end());
    if (!counted_.each_its_own() && !(has_enough(keys.first(middle)) && has_enough(keys.subspan(middle)))) return false;
    const Keyed first = keys[middle];
    std::size_t left = 0, right = 0;
    for (const Row row : cell) {  // the order of rows is kept on both sides
      if (Keyed{line(row)[attribute], row} < first) {
        cell[left++] = row;
      } else {
        keys[right++].row = row;
      }
    }
    for (std::size_t i = 0; i < right; ++i) cell[left + i] = keys[i].row;
    return true;
  }

  struct Keyed {
    double value;
    Row row;
    bool operator<(const Keyed& other) const { return value != other.value ? value < other.value : row < other.row; }
  };

  bool has_enough(std::span<const Keyed> half) {
    for (const Keyed& each : half) counted_.add(each.row);
    const bool enough = counted_.distinct() >= k_;
    for (const Keyed& each : half) counted_.remove(each.row);
    return enough;
  }

  const double* line(Row row) const { return values_.data() + static_cast<std::int64_t>(row) * width_; }

  const Records& records_;
  std::int64_t k_;
  Progress& progress_;
  int numbers_, width_;
  Lines<double> values_;  // of each row: numbers, then codes
  std::vector<double> weights_;
  std::vector<Row> rows_;
  std::vector<Keyed> keys_;
  std::vector<std::int64_t> labels_;
  SubjectCount counted_;
  std::vector<double> sums_, codes_;
  std::int64_t groups_ = 0, settled_ = 0;
};

OutVector<std::int64_t> mondrian(const RecordArrays& arrays, std::int64_t k, nb::object callback) {
  const Records records = arrays.view();
  Progress progress(std::move(callback), records.size);
  std::vector<std::int64_t> labels;
  {
    nb::gil_scoped_release release;
    labels = Mondrian(records, k, progress).labels();
    progress.finish();
  }
  return to_numpy(std::move(labels));
}

}  // namespace

void bind_mondrian(nb::module_& module) {
  module.def("mondrian", &mondrian, nb::arg("records"), nb::arg("k"), nb::arg("progress").none());
}

}  // namespace shoal

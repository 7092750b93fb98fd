// What leaves: the released groups of one call, one value per group and attribute.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "exact/exact_sum.hpp"
#include "group/rank_centre.hpp"
#include "stream/buffer.hpp"
#include "stream/settings.hpp"

namespace shoal::stream {

// Why a tuple leaves without a group.
enum class Drop : std::int8_t { too_few_subjects, not_close };

struct Releases {
  std::vector<Position> positions;     // of the released tuples, group after group, in the order they leave
  std::vector<std::int64_t> sizes;     // tuples of each group
  std::vector<std::int64_t> classes;   // number of the group whose values are released: its own, or an earlier one
  std::vector<Position> at;            // position that had last arrived when the group left
  std::vector<double> coords;          // (groups × coords), NaN where no member has the cell
  std::vector<std::int32_t> ranks;     // (groups × ranks), -1 likewise
  std::vector<Position> modes;         // (groups × codes): a tuple that has the value, or lacks it where all do
  std::vector<Position> dropped;
  std::vector<std::int8_t> reasons;    // Drop of each
};

// What stands for a group, from the cells that were observed.
class GroupValue {
 public:
  explicit GroupValue(const Settings& settings) : settings_(settings) {
    const Axes axes = settings.axes();
    coords.resize(axes.coords);
    ranks.resize(axes.ranks);
    codes.resize(axes.codes);
    modes.resize(axes.codes);
  }

  void assign(const Buffer& buffer, const std::vector<Position>& group) {
    const Axes axes = settings_.axes();
    for (int j = 0; j < axes.coords; ++j) {
      observe(buffer, group, j);
      coords[j] = values_.empty() ? kMissing : continuous(settings_.coord_operators[j]);
    }
    for (int j = 0; j < axes.ranks; ++j) {
      observe(buffer, group, axes.first_rank() + j);
      ranks[j] = values_.empty() ? -1 : ordinal(j);
    }
    for (int j = 0; j < axes.codes; ++j) {
      observe(buffer, group, axes.first_code() + j);
      modes[j] = values_.empty() ? group.front() : owners_[most_frequent()];
      codes[j] = buffer.cells(modes[j])[axes.first_code() + j];
    }
  }

  std::vector<double> coords;
  std::vector<std::int32_t> ranks;
  std::vector<double> codes;
  std::vector<Position> modes;

 private:
  static constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

  void observe(const Buffer& buffer, const std::vector<Position>& group, int axis) {
    values_.clear();
    owners_.clear();
    for (const Position position : group) {
      const double cell = buffer.cells(position)[axis];
      if (std::isnan(cell)) continue;
      values_.push_back(cell);
      owners_.push_back(position);
    }
  }

  // The mean is the exact sum, rounded once, over the count: it does not depend on the order of tuples.
  double continuous(Operator by) {
    if (by == Operator::median) {
      const auto middle = values_.begin() + (values_.size() - 1) / 2;
      std::nth_element(values_.begin(), middle, values_.end());
      return *middle;
    }
    ExactSum sum;
    for (const double value : values_) sum.add(value);
    return sum.rounded() / static_cast<double>(values_.size());
  }

  std::int32_t ordinal(int j) {
    const Operator by = settings_.rank_operators[j];
    ranks_.assign(values_.begin(), values_.end());
    histogram_.assign(ranks_);
    const auto entries = histogram_.entries();
    if (by != Operator::mode) {
      return rank_centre_(entries, histogram_.records(), by == Operator::convex_median);
    }
    const auto fewer = [](const auto& one, const auto& other) { return one.records < other.records; };
    return std::max_element(entries.begin(), entries.end(), fewer)->code;
  }

  // Most frequent, then first in the stream.
  std::size_t most_frequent() {
    counts_.clear();
    for (const double value : values_) ++counts_[value];
    std::size_t best = 0;
    for (std::size_t i = 1; i < values_.size(); ++i)
      if (counts_[values_[i]] > counts_[values_[best]]) best = i;
    return best;
  }

  const Settings& settings_;
  std::vector<double> values_;
  std::vector<Position> owners_;
  std::vector<std::int32_t> ranks_;
  Histogram histogram_;
  RankCentre rank_centre_;
  std::unordered_map<double, std::int64_t> counts_;
};

}  // namespace shoal::stream

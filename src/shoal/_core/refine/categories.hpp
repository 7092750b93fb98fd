// What the ordinal and nominal attributes of a group cost, and what moves change in it.
//
// An ordinal attribute costs the squared steps to the group's (convex) median, a nominal one its weight for each record
// that does not have the mode: what the release will lose (kinds/group_values.py, measure/utility). Groups are small,
// so that counting their members anew beats keeping counts up to date.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "group/average_record.hpp"
#include "refine/group_table.hpp"
#include "search/records.hpp"

namespace shoal::refine {

class Categories {
 public:
  // Values by slot; costs in units of `unit`.
  Categories(const Records& records, std::span<const Row> rows, double unit)
      : count_(records.rank_count + records.code_count), ordinal_(records.rank_count) {
    values_.resize(rows.size() * count_);
    for (int j = 0; j < count_; ++j) {
      const bool ordinal = j < ordinal_;
      for (std::size_t slot = 0; slot < rows.size(); ++slot) {
        values_[slot * count_ + j] =
            ordinal ? records.rank(rows[slot], j) : records.code(rows[slot], j - ordinal_);
      }
      const int levels = ordinal ? records.rank_levels[j] : records.code_levels[j - ordinal_];
      const double step = ordinal ? records.rank_steps[j] : 0.0;
      weights_.push_back((ordinal ? step * step : records.code_weights[j - ordinal_]) / unit);
      convex_.push_back(ordinal && records.rank_convex[j]);
      counts_.resize(std::max(counts_.size(), static_cast<std::size_t>(levels)), 0);
      histograms_.emplace_back(convex_.back() ? levels : 0);
    }
  }

  bool none() const { return count_ == 0; }

  // The cost of some records, one of them left out and another one beside them where these are given.
  double cost(std::span<const Slot> members, Slot without = -1, Slot with = -1) {
    double sum = 0.0;
    for (int j = 0; j < count_; ++j) {
      gather(j, members, without, with);
      sum += weights_[j] * cost_of_gathered(j);
    }
    return sum;
  }

  // Adds, for every member z of the second group, what both cost once z and x, of the first group, changed places.
  void exchanged(Slot x, std::span<const Slot> first, std::span<const Slot> second, float* costs) {
    for (int j = 0; j < count_; ++j) {
      if (j >= ordinal_) {
        exchange_codes(j, x, first, second, costs);
      } else if (convex_[j]) {
        for (std::size_t i = 0; i < second.size(); ++i) {
          gather(j, first, x, second[i]);
          const double there = cost_of_gathered(j);
          gather(j, second, second[i], x);
          costs[i] += static_cast<float>(weights_[j] * (there + cost_of_gathered(j)));
        }
      } else {
        exchange_ranks(j, x, first, second, costs);
      }
    }
  }

 private:
  std::int32_t value(Slot slot, int attribute) const {
    return values_[static_cast<std::int64_t>(slot) * count_ + attribute];
  }

  void gather(int attribute, std::span<const Slot> members, Slot without, Slot with) {
    gathered_.clear();
    for (const Slot slot : members) {
      if (slot != without) gathered_.push_back(value(slot, attribute));
    }
    if (with >= 0) gathered_.push_back(value(with, attribute));
  }

  double cost_of_gathered(int attribute) {
    const auto size = static_cast<std::int64_t>(gathered_.size());
    if (size == 0) return 0.0;
    if (attribute >= ordinal_) return static_cast<double>(size - count_codes().most);
    std::int32_t middle;
    if (convex_[attribute]) {
      RankHistogram& histogram = histograms_[attribute];
      for (const std::int32_t rank : gathered_) histogram.add(rank);
      middle = histogram.convex_median();
      for (const std::int32_t rank : gathered_) histogram.subtract(rank);
    } else {
      const auto nth = gathered_.begin() + (size - 1) / 2;
      std::nth_element(gathered_.begin(), nth, gathered_.end());
      middle = *nth;
    }
    return steps_to(middle, sums_of(gathered_), size);
  }

  // The first and second moments of ranks: integers, so that nothing drifts.
  struct Sums {
    std::int64_t ranks = 0;
    std::int64_t squares = 0;
    void add(std::int64_t rank, std::int64_t times) {
      ranks += times * rank;
      squares += times * rank * rank;
    }
  };
  static Sums sums_of(std::span<const std::int32_t> ranks) {
    Sums sums;
    for (const std::int32_t rank : ranks) sums.add(rank, 1);
    return sums;
  }
  static double steps_to(std::int64_t middle, Sums sums, std::int64_t size) {
    return static_cast<double>(sums.squares - 2 * middle * sums.ranks + size * middle * middle);
  }

  struct Most {
    std::int32_t most = 0;  // records of the mode
    std::int32_t modes = 0;
  };
  // Leaves the counts to the caller where `keep` says so.
  Most count_codes(bool keep = false) {
    Most found;
    for (const std::int32_t code : gathered_) {
      const std::int32_t records = ++counts_[code];
      if (records > found.most) found = {records, 0};
      found.modes += records == found.most;
    }
    if (!keep) forget_codes();
    return found;
  }
  void forget_codes() {
    for (const std::int32_t code : gathered_) counts_[code] = 0;
  }

  void exchange_codes(int attribute, Slot x, std::span<const Slot> first, std::span<const Slot> second, float* costs) {
    const auto sizes = static_cast<std::int64_t>(first.size() + second.size());
    kept_.assign(second.size(), 0);
    gather(attribute, first, x, -1);
    const Most there = count_codes(true);
    for (std::size_t i = 0; i < second.size(); ++i) {
      kept_[i] = std::max(there.most, counts_[value(second[i], attribute)] + 1);
    }
    forget_codes();
    gather(attribute, second, -1, x);
    const Most here = count_codes(true);
    for (std::size_t i = 0; i < second.size(); ++i) {
      const bool only_mode = here.modes == 1 && counts_[value(second[i], attribute)] == here.most;
      const std::int64_t kept = kept_[i] + here.most - only_mode;
      costs[i] += static_cast<float>(weights_[attribute] * static_cast<double>(sizes - kept));
    }
    forget_codes();
  }

  void exchange_ranks(int attribute, Slot x, std::span<const Slot> first, std::span<const Slot> second, float* costs) {
    const auto a = static_cast<std::int64_t>(first.size()), b = static_cast<std::int64_t>(second.size());
    gather(attribute, first, x, -1);
    std::sort(gathered_.begin(), gathered_.end());
    const Sums there = sums_of(gathered_);
    // With z among them the middle one of a is z itself, unless z lies outside the two around the middle of the others.
    const std::int64_t middle = (a - 1) / 2;
    const std::int32_t lower = middle > 0 ? gathered_[middle - 1] : std::numeric_limits<std::int32_t>::min();
    const std::int32_t upper = middle < a - 1 ? gathered_[middle] : std::numeric_limits<std::int32_t>::max();
    sums_.assign(second.size(), 0.0);
    for (std::int64_t i = 0; i < b; ++i) {
      const std::int32_t rank = value(second[i], attribute);
      Sums sums = there;
      sums.add(rank, 1);
      sums_[i] = steps_to(std::clamp(rank, lower, upper), sums, a);
    }
    gather(attribute, second, -1, x);
    std::sort(gathered_.begin(), gathered_.end());
    const Sums here = sums_of(gathered_);
    const std::int64_t place = (b - 1) / 2;
    for (std::int64_t i = 0; i < b; ++i) {
      const std::int32_t rank = value(second[i], attribute);
      Sums sums = here;
      sums.add(rank, -1);
      const double steps = steps_to(gathered_[place + (rank <= gathered_[place])], sums, b);
      costs[i] += static_cast<float>(weights_[attribute] * (sums_[i] + steps));
    }
  }

  int count_;
  int ordinal_;
  std::vector<std::int32_t> values_;  // by slot, ordinal attributes first
  std::vector<double> weights_;
  std::vector<bool> convex_;
  std::vector<std::int32_t> counts_;  // by code, all zero between two calls
  std::vector<RankHistogram> histograms_;
  std::vector<std::int32_t> gathered_, kept_;
  std::vector<double> sums_;
};

}  // namespace shoal::refine

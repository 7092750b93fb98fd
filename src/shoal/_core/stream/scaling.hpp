// From raw cells to rows: bounds, given or running, and what stands for a missing cell in the distance.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stream/settings.hpp"
#include "stream/state.hpp"

namespace shoal::stream {

// So many tuples may come that their positions are whole as doubles; no count of a state is above it.
inline constexpr std::int64_t kMostTuples = std::int64_t{1} << 53;

// Categories and how often they came, at most kMost of them: what a stream of ever new categories may cost is bounded.
class Counter {
 public:
  static constexpr std::size_t kMost = 1024;

  void add(double code) {
    const auto [entry, fresh] = places_.try_emplace(code, codes_.size());
    if (!fresh) {
      ++counts_[entry->second];
    } else if (codes_.size() < kMost) {
      codes_.push_back(code);
      counts_.push_back(1);
    } else {
      places_.erase(entry);
    }
  }

  // Most frequent, then first seen; 0 before anything was seen.
  double mode() const {
    if (codes_.empty()) return 0.0;
    return codes_[std::max_element(counts_.begin(), counts_.end()) - counts_.begin()];
  }

  void save(StateWriter& state) const {
    state.put(codes_);
    state.put(counts_);
  }
  void load(StateReader& state) {
    state.get(codes_);
    state.get(counts_, codes_.size());
    StateReader::require(codes_.size() <= kMost);
    places_.clear();
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      StateReader::require(std::isfinite(codes_[i]) && counts_[i] >= 1 && counts_[i] <= kMostTuples);
      StateReader::require(places_.try_emplace(codes_[i], i).second);
    }
  }

 private:
  std::vector<double> codes_;
  std::vector<std::int64_t> counts_;
  std::unordered_map<double, std::size_t> places_;
};

class Scaling {
 public:
  explicit Scaling(const Settings& settings)
      : settings_(settings),
        lows_(settings.lows),
        highs_(settings.highs),
        sums_(settings.axes().coords, 0.0),
        seen_(settings.axes().coords, 0),
        codes_(settings.axes().codes),
        scales_(settings.axes().size()),
        units_(settings.axes().size(), 1.0) {
    const Axes axes = settings.axes();
    for (const auto levels : settings.rank_levels) ranks_.emplace_back(levels, 0);
    for (int j = 0; j < axes.coords; ++j) {
      running_.push_back(std::isnan(lows_[j]));
      if (running_[j]) std::tie(lows_[j], highs_[j]) = std::pair(kInfinity, -kInfinity);
      rescale(j);
    }
    scales_[axes.position()] = settings.position_weight;
    for (int j = 0; j < axes.ranks; ++j) {
      scales_[axes.first_rank() + j] = settings.rank_steps[j];
      units_[axes.first_rank() + j] = settings.rank_unit_steps[j];
    }
    for (int j = 0; j < axes.codes; ++j) {
      scales_[axes.first_code() + j] = settings.code_weights[j];
      units_[axes.first_code() + j] = settings.code_units[j];
    }
  }

  const Scales& scales() const { return scales_; }  // weighted
  const Scales& units() const { return units_; }    // every attribute on [0, 1]

  // Learns from a tuple and gives the row it is compared by. A missing cell (NaN) stands where the mean, median or mode
  // of the stream so far stands. A coordinate outside given bounds stands at the bound, so that no attribute counts
  // for more than its weight.
  void arrive(const double* cells, double* row) {
    const Axes axes = settings_.axes();
    for (int j = 0; j < axes.coords; ++j) {
      const double cell = cells[j];
      if (std::isnan(cell)) {
        row[j] = seen_[j] == 0 ? 0.0 : sums_[j] / static_cast<double>(seen_[j]);
      } else {
        row[j] = cell;
        sums_[j] += cell;
        ++seen_[j];
        if (running_[j] && (cell < lows_[j] || cell > highs_[j])) {
          lows_[j] = std::min(lows_[j], cell);
          highs_[j] = std::max(highs_[j], cell);
          rescale(j);
        }
      }
      // The mean of what came is inside running bounds but for its last bit.
      if (seen_[j] > 0 || !running_[j]) row[j] = std::clamp(row[j], lows_[j], highs_[j]);
    }
    for (int j = 0; j < axes.ranks; ++j) {
      const double cell = cells[axes.first_rank() + j];
      row[axes.first_rank() + j] = std::isnan(cell) ? median(ranks_[j]) : cell;
      if (settings_.impute && !std::isnan(cell)) ++ranks_[j][static_cast<std::size_t>(cell)];
    }
    for (int j = 0; j < axes.codes; ++j) {
      const double cell = cells[axes.first_code() + j];
      row[axes.first_code() + j] = std::isnan(cell) ? codes_[j].mode() : cell;
      if (settings_.impute && !std::isnan(cell)) codes_[j].add(cell);
    }
  }

  void save(StateWriter& state) const {
    state.put(lows_);
    state.put(highs_);
    state.put(sums_);
    state.put(seen_);
    for (const auto& counts : ranks_) state.put(counts);
    for (const auto& counter : codes_) counter.save(state);
  }
  void load(StateReader& state) {
    const auto coords = static_cast<std::size_t>(settings_.axes().coords);
    const auto given_lows = lows_, given_highs = highs_;
    state.get(lows_, coords);
    state.get(highs_, coords);
    state.get(sums_, coords);
    state.get(seen_, coords);
    for (std::size_t j = 0; j < coords; ++j) {
      StateReader::require(seen_[j] >= 0 && seen_[j] <= kMostTuples && !std::isnan(sums_[j]));
      if (running_[j] && seen_[j] > 0) {
        StateReader::require(std::abs(lows_[j]) <= kLargest && lows_[j] <= highs_[j] && highs_[j] <= kLargest);
      } else {
        StateReader::require(lows_[j] == given_lows[j] && highs_[j] == given_highs[j]);
      }
    }
    for (auto& counts : ranks_) {
      state.get(counts, counts.size());
      for (const auto count : counts) StateReader::require(count >= 0 && count <= kMostTuples);
    }
    for (auto& counter : codes_) counter.load(state);
    for (std::size_t j = 0; j < coords; ++j) rescale(static_cast<int>(j));
  }

  // Whether a row is one that `arrive` may have given, and cells what it may have been given.
  bool may_hold(const double* cells, const double* row) const {
    const Axes axes = settings_.axes();
    for (int j = 0; j < axes.coords; ++j) {
      if (std::isnan(cells[j]) ? !settings_.impute : !(std::abs(cells[j]) <= kLargest)) return false;
      // A missing cell stands at 0 where nothing was seen before it, wherever the bounds went since.
      if (std::isnan(cells[j]) && row[j] == 0.0) continue;
      if (!(row[j] >= lows_[j] && row[j] <= highs_[j])) return false;
    }
    for (int j = axes.first_rank(); j < axes.first_rank() + axes.ranks; ++j) {
      if (std::isnan(cells[j]) ? !settings_.impute : cells[j] != row[j]) return false;
      const auto levels = static_cast<double>(settings_.rank_levels[j - axes.first_rank()]);
      if (!(row[j] >= 0.0 && row[j] < levels && row[j] == std::floor(row[j]))) return false;
    }
    for (int j = axes.first_code(); j < axes.size(); ++j) {
      if (std::isnan(cells[j]) ? !settings_.impute : cells[j] != row[j]) return false;
      if (!std::isfinite(row[j])) return false;
    }
    return true;
  }

 private:
  static constexpr double kLargest = 1e300;                             // of what the Python side lets in
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kConstant = 1e-300;  // a range below this is no range: its reciprocal overflows

  void rescale(int j) {
    const double range = highs_[j] - lows_[j];
    units_[j] = range > kConstant ? 1.0 / range : 0.0;
    scales_[j] = settings_.coord_weights[j] * units_[j];
  }

  static double median(const std::vector<std::int64_t>& counts) {
    std::int64_t total = 0, below = 0;
    for (const auto count : counts) total += count;
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      below += counts[rank];
      if (2 * below >= total) return static_cast<double>(rank);
    }
    return 0.0;
  }

  const Settings& settings_;
  std::vector<double> lows_, highs_;
  std::vector<bool> running_;
  std::vector<double> sums_;
  std::vector<std::int64_t> seen_;
  std::vector<std::vector<std::int64_t>> ranks_;
  std::vector<Counter> codes_;
  Scales scales_, units_;
};

}  // namespace shoal::stream

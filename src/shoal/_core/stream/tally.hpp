// What a stream cost so far: counts, errors, reordering and delays, in memory that does not grow.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stream/release.hpp"

namespace shoal::stream {

struct Tally {
  explicit Tally(std::int64_t window) : delays(window, 0) {}

  std::int64_t released = 0;
  std::int64_t groups = 0;
  std::int64_t joined = 0;  // tuples that took the values of an earlier group
  std::int64_t dropped_subjects = 0;
  std::int64_t dropped_close = 0;
  double squared_error = 0.0;  // sums over tuples, every attribute on [0, 1]
  double absolute_error = 0.0;
  std::int64_t largest_spread = 0;  // positions between the first and the last tuple of a group
  std::int64_t total_spread = 0;
  std::vector<std::int64_t> delays;  // tuples that waited 0, 1, ... arrivals

  void add_tuple(Position position, Position now, double squared) {
    ++released;
    ++delays[now - position];
    squared_error += squared;
    absolute_error += std::sqrt(squared);
  }

  void add_group(const std::vector<Position>& group) {
    ++groups;
    const std::int64_t spread = group.back() - group.front();
    largest_spread = std::max(largest_spread, spread);
    total_spread += spread;
  }

  void save(StateWriter& state) const {
    for (const auto count : {released, groups, joined, dropped_subjects, dropped_close, largest_spread, total_spread})
      state.put(count);
    state.put(squared_error);
    state.put(absolute_error);
    state.put(delays);
  }
  void load(StateReader& state) {
    for (auto* count :
         {&released, &groups, &joined, &dropped_subjects, &dropped_close, &largest_spread, &total_spread})
      *count = state.get<std::int64_t>();
    squared_error = state.get<double>();
    absolute_error = state.get<double>();
    state.get(delays, delays.size());
    for (const auto count : {released, groups, joined, dropped_subjects, dropped_close, largest_spread, total_spread})
      StateReader::require(count >= 0 && count <= kMost);
    for (const auto count : delays) StateReader::require(count >= 0 && count <= kMost);
    StateReader::require(squared_error >= 0.0 && absolute_error >= 0.0);
    StateReader::require(groups <= released && joined <= released);
  }

  static constexpr std::int64_t kMost = std::int64_t{1} << 61;  // sums of a few of them do not overflow
};

}  // namespace shoal::stream

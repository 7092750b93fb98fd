// A tuple of a stream as a row of doubles, and the distance from a row to the average of a few rows.
//
// Axes stand in this order: continuous coordinates, the position in the stream, ordinal ranks, nominal codes. The
// squared distance adds them in it (as points.py does), so the slow twin meets the same ties. Continuous coordinates
// are kept raw and scaled when they are compared: running bounds may move without touching what is stored.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "search/lanes.hpp"
#include "tuning.hpp"

namespace shoal::stream {

using Position = std::int64_t;

// Where the positions of a window stand in a ring. Its size is a power of two, so that no division is needed.
class Ring {
 public:
  explicit Ring(std::int64_t window) : size_(std::bit_ceil(static_cast<std::size_t>(window))) {}
  std::size_t size() const { return size_; }
  std::size_t slot(Position position) const { return static_cast<std::size_t>(position) & (size_ - 1); }

 private:
  std::size_t size_;
};

struct Axes {
  int coords = 0;
  int ranks = 0;
  int codes = 0;

  int position() const { return coords; }
  int first_rank() const { return coords + 1; }
  int first_code() const { return coords + 1 + ranks; }
  int size() const { return coords + 1 + ranks + codes; }
};

// Per axis: what multiplies a difference of coordinates, positions or ranks; what a difference of codes adds.
using Scales = std::vector<double>;

// Rows in columns come in multiples of kRowLanes; what stands beyond the last row is computed and ignored.
constexpr std::int64_t padded(std::int64_t count) { return (count + kRowLanes - 1) / kRowLanes * kRowLanes; }

// The average of a group. The mean squared distance from a tuple to the members of a group is, up to a constant of
// the group, its squared distance to the mean on the arithmetic axes (Huygens) plus, for each code, the weight times
// the share of members with another code. For a group of one it is the plain squared distance.
class Average {
 public:
  explicit Average(Axes axes)
      : axes_(axes),
        scaled_distances_(lane_kernels(axes.first_code()).scaled_distances),
        centre_(axes.first_code()),
        tallies_(axes.codes) {}

  const double* centre() const { return centre_.data(); }

  // Members must come in the order of their positions: the sums are plain, and the twin adds in that order.
  template <class Rows>
  void assign(const Rows& rows) {
    size_ = static_cast<int>(rows.size());
    std::fill(centre_.begin(), centre_.end(), 0.0);
    for (auto& tally : tallies_) tally.clear();
    for (const double* row : rows) {
      for (int a = 0; a < axes_.first_code(); ++a) centre_[a] += row[a];
      for (int c = 0; c < axes_.codes; ++c) count(tallies_[c], row[axes_.first_code() + c]);
    }
    for (auto& value : centre_) value /= size_;
    for (auto& tally : tallies_)
      for (const auto& entry : tally) tally[0].most = std::max(tally[0].most, entry.count);
  }

  double code_cost(int code_axis, double code, double weight) const {
    int same = 0;
    for (const auto& entry : tallies_[code_axis])
      if (entry.code == code) same = entry.count;
    return weight * (size_ - same) / size_;
  }

  // The least that any code can cost on this axis.
  double least_code_cost(int code_axis, double weight) const {
    return weight * (size_ - tallies_[code_axis][0].most) / size_;
  }

  // To `count` rows that stand column by column, `stride` doubles from column to column. Both are multiples of
  // kRowLanes.
  void distances(const double* columns, std::int64_t stride, std::int64_t count, const Scales& scales,
                 double* distances) const {
    scaled_distances_(columns, stride, count, centre_.data(), scales.data(), axes_.first_code(), distances);
    for (int c = 0; c < axes_.codes; ++c) {
      const int a = axes_.first_code() + c;
      const double* codes = columns + a * stride;
      for (std::int64_t i = 0; i < count; ++i) distances[i] += code_cost(c, codes[i], scales[a]);
    }
  }

  double distance(const double* row, const Scales& scales) const {
    double sum = 0.0;
    for (int a = 0; a < axes_.first_code(); ++a) {
      const double difference = (row[a] - centre_[a]) * scales[a];
      sum += difference * difference;
    }
    for (int c = 0; c < axes_.codes; ++c) {
      const int a = axes_.first_code() + c;
      sum += code_cost(c, row[a], scales[a]);
    }
    return sum;
  }

 private:
  struct Tally {
    double code;
    int count;
    int most = 0;  // of the whole axis, kept in its first entry
  };

  static void count(std::vector<Tally>& tally, double code) {
    for (auto& entry : tally)
      if (entry.code == code) {
        ++entry.count;
        return;
      }
    tally.push_back({code, 1});
  }

  Axes axes_;
  decltype(LaneKernels::scaled_distances) scaled_distances_;
  int size_ = 0;
  std::vector<double> centre_;
  std::vector<std::vector<Tally>> tallies_;
};

struct Found {
  double distance;
  Position position;

  bool operator<(const Found& other) const {
    return distance != other.distance ? distance < other.distance : position < other.position;
  }
};

// The nearest so far, by distance, then position. A few are kept in order, many as a heap that is sorted in the end.
class Nearest {
 public:
  void reset(std::size_t capacity) {
    capacity_ = capacity;
    found_.clear();
    sorted_ = capacity <= tuning::kStreamFew;
    worst_ = {std::numeric_limits<double>::infinity(), std::numeric_limits<Position>::max()};
  }

  bool wants(double distance, Position earliest) const {
    return distance < worst_.distance || (distance == worst_.distance && earliest < worst_.position);
  }
  double worst() const { return worst_.distance; }

  void add(Found candidate) {
    if (sorted_) {
      if (found_.size() < capacity_) found_.push_back(candidate);
      // Most come late and far: from the end, few have to make room.
      std::size_t place = found_.size() - 1;
      for (; place > 0 && candidate < found_[place - 1]; --place) found_[place] = found_[place - 1];
      found_[place] = candidate;
      if (found_.size() == capacity_) worst_ = found_.back();
      return;
    }
    if (found_.size() == capacity_) {
      std::pop_heap(found_.begin(), found_.end());
      found_.pop_back();
    }
    found_.push_back(candidate);
    std::push_heap(found_.begin(), found_.end());
    if (found_.size() == capacity_) worst_ = found_.front();
  }

  // Nearest first; nothing may be added any more.
  const std::vector<Found>& found() {
    if (!sorted_) std::sort_heap(found_.begin(), found_.end());
    sorted_ = true;
    return found_;
  }

 private:
  std::size_t capacity_ = 0;
  bool sorted_ = true;
  Found worst_{};
  std::vector<Found> found_;
};

}  // namespace shoal::stream

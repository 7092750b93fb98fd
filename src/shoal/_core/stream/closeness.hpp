// t-Closeness of a group against the distribution of the stream so far, in bounded memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "close/threshold.hpp"
#include "exact/wide.hpp"
#include "stream/buffer.hpp"
#include "stream/settings.hpp"
#include "stream/state.hpp"

namespace shoal::stream {

// The values of one confidential attribute so far, in at most kMost bins.
//
// Ordered attributes: every distinct value has its bin until there are too many; then the two neighbours that hold the
// fewest tuples together become one. Nominal ones: a bin for each category, and the last bin for all that come late.
class RunningDistribution {
 public:
  static constexpr std::size_t kMost = 1024;

  explicit RunningDistribution(bool nominal) : nominal_(nominal) {}

  void add(double value);
  // Only for values that were added.
  std::size_t bin(double value) const;

  // Work of moving a group with `members` of its tuples in each bin onto the stream, by the ordered or the equal
  // distance, and the number it is divided by to be a distance (close/threshold.hpp).
  Wide work(const std::vector<std::int64_t>& members, std::int64_t group) const;
  Wide unit(std::int64_t group) const;
  // The least work of any group with values in some of the bins only, whatever its size, in units of unit(1).
  Wide least_work(const std::vector<char>& present) const;
  // The distance, rounded bin by bin: a number to compare groups by (see Closeness::excess).
  double distance(const std::vector<std::int64_t>& members, std::int64_t group) const;

  // What the distance would be with one tuple more, in one bin or another: read once for a group, in a pass over the
  // bins, it is then at hand for every candidate. Sums are in another order than those of `distance`, and rounded otherwise.
  struct Preview {
    std::vector<double> before;  // ordered: of the bins before each, which the tuple leaves as they are
    std::vector<double> after;   // ordered: of each bin and those after it, with the tuple; nominal: of all, if in this bin
  };
  void preview(const std::vector<std::int64_t>& members, std::int64_t group, Preview& preview) const;
  double distance_with(double value, const Preview& preview) const;

  std::size_t bins() const { return counts_.size(); }
  void save(StateWriter& state) const;
  void load(StateReader& state);

 private:
  void merge_least();

  bool nominal_;
  std::int64_t total_ = 0;
  std::vector<std::int64_t> counts_;
  std::vector<double> lows_, highs_;  // of a bin; for a nominal attribute both are the category
  std::unordered_map<double, std::size_t> categories_;
};

class Closeness {
 public:
  explicit Closeness(const Settings& settings) : settings_(settings) {
    for (const bool nominal : settings.confidential_nominal) attributes_.emplace_back(nominal);
  }

  bool wanted() const { return !attributes_.empty(); }
  std::size_t width() const { return attributes_.size(); }

  void arrive(const double* confidential) {
    for (std::size_t c = 0; c < attributes_.size(); ++c) attributes_[c].add(confidential[c]);
  }

  // Puts the values of a group (row after row) on the scale; `add` and `take` change it by one tuple.
  void weigh(const std::vector<double>& values);
  void add(const double* confidential) { change(confidential, 1); }
  void take(const double* confidential) { change(confidential, -1); }

  // Whether the weighed group is within t on every attribute.
  bool met() const {
    for (std::size_t c = 0; c < attributes_.size(); ++c)
      if (!threshold(c).allows(attributes_[c].work(members_[c], group_), attributes_[c].unit(group_))) return false;
    return true;
  }

  // Whether groups of these tuples can be within t at all, going by where the stream has values and they have none.
  bool in_reach(const Buffer& buffer, const std::vector<Position>& tuples);

  // How far the group is above t, on the attribute where it is most. It says which tuples bring a group closer, never
  // whether a group is close: so it need not be exact, and is as quick as doubles are.
  double excess() const {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < attributes_.size(); ++c)
      largest = std::max(largest, attributes_[c].distance(members_[c], group_) - threshold(c).rounded());
    return largest;
  }

  // What `excess` would be with one tuple more than at the last call of `look_ahead`, up to kDoubt.
  static constexpr double kDoubt = 1e-9;
  void look_ahead() {
    previews_.resize(attributes_.size());
    for (std::size_t c = 0; c < attributes_.size(); ++c) attributes_[c].preview(members_[c], group_, previews_[c]);
  }
  double excess_with(const double* confidential) const {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < attributes_.size(); ++c) {
      const double distance = attributes_[c].distance_with(confidential[c], previews_[c]);
      largest = std::max(largest, distance - threshold(c).rounded());
    }
    return largest;
  }

  void save(StateWriter& state) const {
    for (const auto& attribute : attributes_) attribute.save(state);
  }
  void load(StateReader& state) {
    for (auto& attribute : attributes_) attribute.load(state);
  }

 private:
  Threshold threshold(std::size_t attribute) const {
    return {settings_.t[attribute].first, settings_.t[attribute].second};
  }

  void change(const double* confidential, int by) {
    for (std::size_t c = 0; c < attributes_.size(); ++c) members_[c][attributes_[c].bin(confidential[c])] += by;
    group_ += by;
  }

  const Settings& settings_;
  std::vector<RunningDistribution> attributes_;
  std::vector<std::vector<std::int64_t>> members_;  // of the weighed group, per attribute and bin
  std::int64_t group_ = 0;
  std::vector<RunningDistribution::Preview> previews_;
  std::vector<char> present_;
};

}  // namespace shoal::stream

// t-Closeness in whole numbers: what tables and streams share.
//
// The distance of a group of g records to n others is work / (g · n · scale), with the work a sum of how much one side
// has more than the other (emd.hpp). So the question "at most t?" is one of integers, whoever asks it and in whatever
// order the work was added up.
#pragma once

#include <cstdint>

#include "exact/wide.hpp"

namespace shoal {

// How much more a group of `group` records has somewhere than `size` others, in units of 1 / (group · size).
inline Wide surplus(std::int64_t ours, std::int64_t group, std::int64_t theirs, std::int64_t size) {
  return static_cast<Wide>(ours) * size - static_cast<Wide>(theirs) * group;
}

// The number that the work is divided by.
inline Wide work_unit(std::int64_t group, std::int64_t others, std::int64_t scale) {
  return static_cast<Wide>(group) * others * scale;
}

// t = numerator / denominator, both below 2^30: with at most 94 bits of work, all fits 128.
struct Threshold {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  double rounded() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }

  bool allows(Wide work, Wide unit) const { return work * denominator <= unit * numerator; }

  // The greatest work that is allowed; neither t nor work is ever negative.
  Wide most(Wide unit) const { return unit * numerator / denominator; }
};

}  // namespace shoal

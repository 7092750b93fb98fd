// The loss of a partition, exactly, and the better of two partitions part by part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/records.hpp"

namespace shoal::refine {

// What each group loses: squared distances of its records to what will stand for them (mean, median or convex median,
// mode).
std::vector<double> group_losses(const Records& records, std::span<const std::int64_t> labels, std::int64_t count);

// All of it.
double loss_of(const Records& records, std::span<const std::int64_t> labels);

// Groups of two partitions that share records are joined; each set of groups that is joined with no other is taken from
// the second partition where that loses less there, beyond rounding, and from the first otherwise. The result loses no
// more than either. Groups are numbered by their first records.
std::vector<std::int64_t> better_of(const Records& records, std::span<const std::int64_t> first,
                                    std::span<const std::int64_t> second);

}  // namespace shoal::refine

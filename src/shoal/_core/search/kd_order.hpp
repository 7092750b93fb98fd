// The order of rows in a k-d tree's leaves.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/records.hpp"

namespace shoal {

// Finds an order in which every run of 32, of 32 * 32, of 32 * 32 * 32 ... rows is a compact cell: the rows are cut in
// two at the attribute in which they differ most, again and again, always at a multiple of the run's length.
//
// Calls put(block, source, indexes, rows) for each run of 32 rows (the last may be shorter), in their order; the values
// of rows[i] stand at indexes[i] of `source`, which is a copy of some of the records, near at hand.
using PutInCell = std::function<void(std::int64_t block, const Records& source, std::span<const Row> indexes,
                                     std::span<const Row> rows)>;
void order_by_cells(const Records& records, std::vector<Row> rows, const PutInCell& put);

}  // namespace shoal

// The order of rows in a k-d tree's leaves.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "records.hpp"

namespace shoal {

// Finds an order in which every run of 32, of 32 * 32, of 32 * 32 * 32 ... rows is a compact cell: the rows are cut in
// two at the attribute in which they differ most, again and again, always at a multiple of the run's length.
//
// Calls put(position, source, index, row) for each row, in the order of positions; the row's values stand at `index` of
// `source`, which is a copy of some of the records, near at hand.
using PutInCell = std::function<void(std::int64_t position, const Records& source, std::int64_t index, Row row)>;
void order_by_cells(const Records& records, std::vector<Row> rows, const PutInCell& put);

}  // namespace shoal

// The order of rows in a k-d tree's leaves.
#pragma once

#include <vector>

#include "records.hpp"

namespace shoal {

// Rearranges rows so that every run of 32, of 32 * 32, of 32 * 32 * 32 ... rows is a compact cell: the rows are cut in
// two at the attribute in which they differ most, again and again, always at a multiple of the run's length.
void order_by_cells(const Records& records, std::vector<Row>& rows);

}  // namespace shoal

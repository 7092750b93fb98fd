// Where records stand for refinement: a common centre and scale, in single precision.
#include <algorithm>
#include <cmath>

#include "refine/space.hpp"

namespace shoal::refine {

// The mean squared distance of a record to the average one is 1 afterwards, or so; whatever the numbers are, their
// squares stay within the floats.
Frame frame_of(const Records& records) {
  Frame frame;
  const auto size = static_cast<double>(records.size);
  double reach = 0.0;
  for (int j = 0; j < records.coord_count; ++j) {
    const double* const column = records.coords + j * records.size;
    double sum = 0.0;
    for (std::int64_t i = 0; i < records.size; ++i) sum += column[i];
    frame.centre.push_back(sum / size);
    const auto [low, high] = std::minmax_element(column, column + records.size);
    reach = std::max({reach, *high - frame.centre.back(), frame.centre.back() - *low});
  }
  double spread = 0.0;
  for (int j = 0; reach > 0.0 && j < records.coord_count; ++j) {
    const double* const column = records.coords + j * records.size;
    for (std::int64_t i = 0; i < records.size; ++i) {
      const double away = (column[i] - frame.centre[j]) / reach;
      spread += away * away;
    }
  }
  double unit = spread / size * reach * reach;
  for (int j = 0; j < records.rank_count; ++j) {
    const double range = records.rank_steps[j] * records.rank_levels[j];
    unit += range * range / 12.0;
  }
  for (int j = 0; j < records.code_count; ++j) unit += records.code_weights[j] / 2.0;
  if (unit > 0.0) {
    frame.unit = unit;
    frame.scale = 1.0 / std::sqrt(unit);
  }
  return frame;
}

}  // namespace shoal::refine

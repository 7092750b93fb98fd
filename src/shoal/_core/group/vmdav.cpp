// V-MDAV: groups that grow from k to 2k - 1 records while the next record belongs to them more than elsewhere.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "bindings.hpp"
#include "group/average_record.hpp"
#include "group/centroids.hpp"
#include "progress.hpp"
#include "search/record_arrays.hpp"
#include "search/record_index.hpp"

namespace shoal {
namespace {

constexpr std::int64_t kNone = -1;

// All rows, farthest from the average record of the whole table first. That average does not move.
std::vector<Row> from_outside_in(const Records& records) {
  AverageRecord average(records);
  average.add_all();
  Place centre(records);
  average.locate(centre);
  std::vector<double> distances(records.size);
  for (std::int64_t i = 0; i < records.size; ++i) distances[i] = squared_distance(records, i, centre);
  std::vector<Row> rows(records.size);
  std::iota(rows.begin(), rows.end(), Row{0});
  std::sort(rows.begin(), rows.end(), [&](Row a, Row b) {
    return distances[a] != distances[b] ? distances[a] > distances[b] : a < b;
  });
  return rows;
}

// Grows a group while the nearest record outside is nearer to the group than `gain` times to any other outside.
void extend(RecordIndex& index, std::size_t limit, double gain, std::vector<Row>& group) {
  std::vector<Neighbour> nearest;  // of each member, the nearest record outside
  for (const Row member : group) nearest.push_back(index.nearest(member));
  while (group.size() < limit && index.size() > 0) {
    const Neighbour next = *std::min_element(nearest.begin(), nearest.end());
    const Neighbour elsewhere = index.nearest(next.row);
    if (!(next.distance < gain * gain * elsewhere.distance)) return;
    index.remove(next.row);
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (nearest[i].row == next.row) nearest[i] = index.nearest(group[i]);
    }
    group.push_back(next.row);
    nearest.push_back(elsewhere);
  }
}

// Gives each record without a group to the group with the nearest average record.
void settle_rest(const Records& records, std::int64_t formed, std::vector<std::int64_t>& labels) {
  std::vector<Row> rest;
  for (std::int64_t i = 0; i < records.size; ++i) {
    if (labels[i] == kNone) rest.push_back(static_cast<Row>(i));
  }
  if (rest.empty()) return;
  for (const Row row : rest) labels[row] = formed;  // a group of their own, that nobody joins
  const Centroids centroids(records, Groups(labels, formed + 1));
  const Records averages = centroids.view();
  Place place(records);
  for (const Row row : rest) {
    place.set(records, row);
    double smallest = std::numeric_limits<double>::infinity();
    labels[row] = 0;
    for (std::int64_t group = 0; group < formed; ++group) {
      const double distance = squared_distance(averages, group, place);
      if (distance < smallest) {
        smallest = distance;
        labels[row] = group;
      }
    }
  }
}

std::vector<std::int64_t> vmdav(RecordIndex& index, const Records& records, std::int64_t k, double gain,
                                Progress& progress) {
  std::vector<std::int64_t> labels(records.size, kNone);
  std::vector<Row> group;
  std::int64_t formed = 0;
  const std::vector<Row> order = from_outside_in(records);
  for (auto next = order.begin(); index.size() >= k; ++next) {
    if (labels[*next] != kNone) continue;
    index.gather(*next, static_cast<std::size_t>(k), group, false);
    index.remove(group);
    extend(index, static_cast<std::size_t>(2 * k - 1), gain, group);
    for (const Row member : group) labels[member] = formed;
    ++formed;
    progress.tick(records.size - index.size());
  }
  settle_rest(records, formed, labels);
  return labels;
}

OutVector<std::int64_t> run_vmdav(const RecordArrays& arrays, std::int64_t k, double gain, const std::string& engine,
                                  nb::object callback) {
  const Records records = arrays.view();
  Progress progress(std::move(callback), records.size);
  std::vector<std::int64_t> labels;
  {
    nb::gil_scoped_release release;
    const Duplicates duplicates = find_duplicates(records);
    labels = vmdav(*make_index(engine, records, duplicates), records, k, gain, progress);
    progress.finish();
  }
  return to_numpy(std::move(labels));
}

}  // namespace

void bind_vmdav(nb::module_& module) {
  module.def("vmdav", &run_vmdav, nb::arg("records"), nb::arg("k"), nb::arg("gain"), nb::arg("engine"),
             nb::arg("progress").none());
}

}  // namespace shoal

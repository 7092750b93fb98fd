// MDAV-generic: the loop, over an index that answers "farthest" and "nearest". k counts subjects.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <span>
#include <vector>

#include "bindings.hpp"
#include "group/average_record.hpp"
#include "group/settle.hpp"
#include "group/subject_count.hpp"
#include "platform.hpp"
#include "progress.hpp"
#include "search/record_arrays.hpp"
#include "search/record_index.hpp"

namespace shoal {
namespace {

// Of each subject that is not in the group, the record among `rest` that is nearest to `place`.
std::vector<Row> nearest_of_others(const Records& records, std::span<const Row> group, std::span<const Row> rest,
                                   const Place& place) {
  SubjectCount inside(records);
  for (const Row row : group) inside.add(row);
  std::vector<Neighbour> outside;
  for (const Row row : rest) {
    if (inside.held(row) == 0) outside.push_back({squared_distance(records, row, place), row});
  }
  std::sort(outside.begin(), outside.end());
  std::vector<Row> nearest;
  for (const Neighbour& candidate : outside) {
    if (inside.held(candidate.row) > 0) continue;
    inside.add(candidate.row);
    nearest.push_back(candidate.row);
  }
  return nearest;
}

std::vector<std::int64_t> mdav(RecordIndex& index, const Records& records, const Duplicates& duplicates,
                               std::int64_t k, Progress& progress) {
  AverageRecord average(records);
  average.add_all();
  SubjectCount left(records);
  left.add_all(records.size);
  std::vector<std::int64_t> labels(records.size, kNone);
  std::vector<Row> group;
  std::int64_t formed = 0, settled = 0;
  Place centre(records), place(records);

  const auto take = [&](std::span<const Row> members) {
    for (const Row member : members) prefetch(&labels[member]);
    for (const Row member : members) {
      index.locate(member, place);
      for (Row row = member; row >= 0; row = duplicates.repeat(row)) {
        labels[row] = formed;
        average.subtract(row, place);
        left.remove(row);
        ++settled;
      }
    }
    index.remove(members);
  };

  for (bool opposite = false; left.distinct() >= k; opposite = !opposite) {
    if (!opposite) average.locate(centre);
    const Row row = opposite ? index.farthest_from_last() : index.farthest_from(centre);
    index.gather(row, static_cast<std::size_t>(k), group, !opposite);
    take(group);
    if (left.distinct() < k) {  // too few for another group: all other subjects join this one
      centre.set(records, row);
      take(nearest_of_others(records, group, duplicates.expand(index.fronts()), centre));
    }
    ++formed;
    progress.tick(settled);
  }
  settle_rest(records, formed, labels);
  return labels;
}

OutVector<std::int64_t> run_mdav(const RecordArrays& arrays, std::int64_t k, const std::string& engine,
                                 nb::object callback) {
  const Records records = arrays.view();
  Progress progress(std::move(callback), records.size);
  std::vector<std::int64_t> labels;
  {
    nb::gil_scoped_release release;
    Duplicates duplicates(records);
    labels = mdav(*make_index(engine, records, duplicates), records, duplicates, k, progress);
    progress.finish();
  }
  return to_numpy(std::move(labels));
}

}  // namespace

void bind_mdav(nb::module_& module) {
  module.def("mdav", &run_mdav, nb::arg("records"), nb::arg("k"), nb::arg("engine"), nb::arg("progress").none());
}

}  // namespace shoal

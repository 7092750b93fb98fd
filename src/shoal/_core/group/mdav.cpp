// MDAV-generic: the loop, over an index that answers "farthest" and "nearest".
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "group/average_record.hpp"
#include "platform.hpp"
#include "progress.hpp"
#include "search/record_arrays.hpp"
#include "search/record_index.hpp"

namespace shoal {
namespace {

std::vector<std::int64_t> mdav(RecordIndex& index, const Records& records, const Duplicates& duplicates,
                               std::int64_t k, Progress& progress) {
  AverageRecord average(records);
  average.add_all();
  std::vector<std::int64_t> labels(records.size);
  std::vector<Row> group;
  std::int64_t formed = 0;
  Place centre(records), place(records);

  const auto form_group_around = [&](Row row, bool farthest_too) {
    index.gather(row, static_cast<std::size_t>(k), group, farthest_too);
    for (const Row member : group) prefetch(&labels[member]);
    for (const Row member : group) {
      labels[member] = formed;
      index.locate(member, place);
      average.subtract(member, place);
    }
    index.remove(group);
    ++formed;
    progress.tick(records.size - index.size());
  };
  const auto farthest_from_average = [&] {
    average.locate(centre);
    return index.farthest_from(centre);
  };

  while (index.size() >= 3 * k) {
    form_group_around(farthest_from_average(), true);
    form_group_around(index.farthest_from_last(), false);
  }
  if (index.size() >= 2 * k) form_group_around(farthest_from_average(), false);
  for (const Row row : duplicates.expand(index.fronts())) labels[row] = formed;
  return labels;
}

OutVector<std::int64_t> run_mdav(const RecordArrays& arrays, std::int64_t k, const std::string& engine,
                                 nb::object callback) {
  const Records records = arrays.view();
  Progress progress(std::move(callback), records.size);
  std::vector<std::int64_t> labels;
  {
    nb::gil_scoped_release release;
    const Duplicates duplicates = find_duplicates(records);
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

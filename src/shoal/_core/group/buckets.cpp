// Numbering the records of buckets so that equal numbers are alike, and placing records that no group took.
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "bindings.hpp"
#include "group/centroids.hpp"
#include "progress.hpp"
#include "search/kd_tree.hpp"
#include "search/record_arrays.hpp"

namespace shoal {
namespace {

// `rows` holds the buckets one after the other, all of one size. The records of the first are numbered in their order;
// each record of the next takes the number of the nearest record of the one before that nobody took yet.
std::vector<std::int64_t> match_buckets(const Records& records, std::span<const Row> rows, std::size_t count,
                                        Progress& progress) {
  const std::size_t size = rows.size() / count;
  std::vector<std::int64_t> numbers(records.size, -1);
  for (std::size_t i = 0; i < size; ++i) numbers[rows[i]] = static_cast<std::int64_t>(i);
  const auto slots = std::make_shared<SlotMap>(records.size);
  Place place(records);
  Nearest nearest;
  for (std::size_t bucket = 1; bucket < count; ++bucket) {
    const auto before = rows.subspan((bucket - 1) * size, size);
    KdTree free(records, {before.begin(), before.end()}, slots);
    for (const Row row : rows.subspan(bucket * size, size)) {
      place.set(records, row);
      nearest.reset(1);
      free.nearest(place, nearest);
      const Row match = nearest.found().front().row;
      numbers[row] = numbers[match];
      free.remove(match);
    }
    progress.tick(static_cast<std::int64_t>((bucket + 1) * size));
  }
  return numbers;
}

// Records labelled -1 join the group whose average record is nearest, the lowest number among equals. Averages are
// those of the groups as given, so the order in which records join does not matter.
std::vector<std::int64_t> join_nearest(const Records& records, std::span<const std::int64_t> labels,
                                       std::int64_t count) {
  std::vector<std::int64_t> joined(labels.begin(), labels.end());
  if (std::find(joined.begin(), joined.end(), -1) == joined.end()) return joined;
  std::replace(joined.begin(), joined.end(), std::int64_t{-1}, count);  // a group of their own, to be emptied below
  const Centroids centroids(records, Groups(joined, count + 1));
  const Records places = centroids.view();
  std::vector<Row> groups(count);
  std::iota(groups.begin(), groups.end(), Row{0});
  const KdTree tree(places, std::move(groups));
  Place place(records);
  Nearest nearest;
  centroids.each_row(count, [&](Row row) {
    place.set(records, row);
    nearest.reset(1);
    tree.nearest(place, nearest);
    joined[row] = nearest.first().row;
  });
  return joined;
}

OutVector<std::int64_t> run_match_buckets(const RecordArrays& arrays, const Vector<Row>& rows, std::size_t count,
                                          nb::object callback) {
  const Records records = arrays.view();
  Progress progress(std::move(callback), records.size);
  std::vector<std::int64_t> numbers;
  {
    nb::gil_scoped_release release;
    numbers = match_buckets(records, as_span(rows), count, progress);
    progress.finish();
  }
  return to_numpy(std::move(numbers));
}

OutVector<std::int64_t> run_join_nearest(const RecordArrays& arrays, const Vector<std::int64_t>& labels,
                                         std::int64_t count) {
  const Records records = arrays.view();
  std::vector<std::int64_t> joined;
  {
    nb::gil_scoped_release release;
    joined = join_nearest(records, as_span(labels), count);
  }
  return to_numpy(std::move(joined));
}

}  // namespace

void bind_matching(nb::module_& module) {
  module.def("match_buckets", &run_match_buckets, nb::arg("records"), nb::arg("rows"), nb::arg("count"),
             nb::arg("progress").none());
  module.def("join_nearest", &run_join_nearest, nb::arg("records"), nb::arg("labels"), nb::arg("count"));
}

}  // namespace shoal

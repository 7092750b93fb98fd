// The nearest records of every record, each record with a shift of its own.
#include <algorithm>
#include <atomic>
#include <numeric>

#include "bindings.hpp"
#include "parallel.hpp"
#include "progress.hpp"
#include "refine/bound_search.hpp"
#include "search/record_arrays.hpp"

namespace shoal {
namespace {

constexpr std::int64_t kRecordsAtOnce = 256;  // records between two looks at the clock

struct ShiftedNeighbours {
  std::vector<Row> rows;
  std::vector<double> pairs;
};

ShiftedNeighbours find(const Records& records, std::int64_t size, std::span<const double> shifts, std::size_t count,
                       Progress& progress) {
  const BoundCost cost(records, size);
  std::vector<Row> all(records.size);
  std::iota(all.begin(), all.end(), Row{0});
  const BoundSearch search(records, cost, shifts, std::move(all));
  const std::size_t cells = static_cast<std::size_t>(records.size) * count;
  ShiftedNeighbours found{std::vector<Row>(cells), std::vector<double>(cells)};
  const std::size_t workers = workers_for(static_cast<std::size_t>(records.size), kRecordsAtOnce);
  std::vector<Place> places(workers, search.place());
  std::vector<Nearest> nearest(workers, Nearest(count));
  for (std::int64_t first = 0; first < records.size; first += kRecordsAtOnce) {
    std::atomic<std::int64_t> next{first};
    const std::int64_t last = std::min(first + kRecordsAtOnce, records.size);
    in_parallel(workers, [&](std::size_t worker) {
      for (std::int64_t i = next++; i < last; i = next++) {
        nearest[worker].reset(count, static_cast<Row>(i));
        search.near(static_cast<Row>(i), places[worker], nearest[worker]);
        std::size_t cell = static_cast<std::size_t>(i) * count;
        for (const Neighbour& neighbour : nearest[worker].sorted()) {
          found.rows[cell] = neighbour.row;
          found.pairs[cell++] = cost.pair(static_cast<Row>(i), neighbour.row);
        }
      }
    });
    progress.tick(last);
  }
  progress.finish();
  return found;
}

nb::tuple run_shifted_neighbours(const RecordArrays& arrays, std::int64_t size, Vector<double> shifts,
                                 std::int64_t count, nb::object callback) {
  const Records records = arrays.view();
  Progress progress(std::move(callback), records.size);
  ShiftedNeighbours found;
  {
    nb::gil_scoped_release release;
    found = find(records, size, as_span(shifts), static_cast<std::size_t>(count), progress);
  }
  return nb::make_tuple(to_numpy(std::move(found.rows)), to_numpy(std::move(found.pairs)));
}

}  // namespace

void bind_bound_search(nb::module_& module) {
  module.def("shifted_neighbours", &run_shifted_neighbours, nb::arg("records"), nb::arg("size"), nb::arg("shifts"),
             nb::arg("count"), nb::arg("progress").none());
}

}  // namespace shoal

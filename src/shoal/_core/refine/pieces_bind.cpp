// The pieces of refinement one by one, for those who need no more and for tests: losses, the better of two partitions,
// lists of near records, groups made from them.
#include "bindings.hpp"
#include "progress.hpp"
#include "refine/loss.hpp"
#include "refine/neighbour_lists.hpp"
#include "refine/outside_in.hpp"
#include "refine/space.hpp"
#include "refine/start.hpp"
#include "search/record_arrays.hpp"

namespace shoal::refine {
namespace {

nb::tuple run_better_of(const RecordArrays& arrays, Vector<std::int64_t> first, Vector<std::int64_t> second) {
  const Records records = arrays.view();
  std::vector<std::int64_t> labels;
  double before = 0.0, after = 0.0;
  {
    nb::gil_scoped_release release;
    labels = better_of(records, as_span(first), as_span(second));
    before = loss_of(records, as_span(first));
    after = loss_of(records, labels);
  }
  return nb::make_tuple(to_numpy(std::move(labels)), before, after);
}

OutVector<double> run_group_losses(const RecordArrays& arrays, Vector<std::int64_t> labels, std::int64_t count) {
  std::vector<double> losses;
  {
    nb::gil_scoped_release release;
    losses = group_losses(arrays.view(), as_span(labels), count);
  }
  return to_numpy(std::move(losses));
}

OutVector<Row> run_near_rows(const RecordArrays& arrays, std::int32_t length, double reach) {
  const Records records = arrays.view();
  Progress progress(nb::none(), records.size);
  std::vector<Row> by_row(static_cast<std::size_t>(records.size) * length);
  {
    nb::gil_scoped_release release;
    const NeighbourLists near = find_neighbours(records, {length, reach, 1, frame_of(records).unit}, progress);
    for (std::size_t slot = 0; slot < near.rows.size(); ++slot) {
      for (std::int32_t i = 0; i < length; ++i) {
        by_row[static_cast<std::size_t>(near.rows[slot]) * length + i] = near.rows[near.of(static_cast<Slot>(slot))[i]];
      }
    }
  }
  return to_numpy(std::move(by_row));
}

OutVector<std::int64_t> run_outside_in(const RecordArrays& arrays, std::int32_t k, std::int32_t length, double reach) {
  const Records records = arrays.view();
  Progress progress(nb::none(), records.size);
  std::vector<std::int64_t> labels;
  {
    nb::gil_scoped_release release;
    const Frame frame = frame_of(records);
    const NeighbourLists near = find_neighbours(records, {length, reach, 1, frame.unit}, progress);
    labels = by_row(outside_in(records, near, frame, k).group_of, near.rows);
  }
  return to_numpy(std::move(labels));
}

}  // namespace
}  // namespace shoal::refine

namespace shoal {

void bind_refine_pieces(nb::module_& module) {
  module.def("group_losses", &refine::run_group_losses, nb::arg("records"), nb::arg("labels"), nb::arg("count"));
  module.def("better_of", &refine::run_better_of, nb::arg("records"), nb::arg("first"), nb::arg("second"));
  module.def("near_rows", &refine::run_near_rows, nb::arg("records"), nb::arg("length"), nb::arg("reach"));
  module.def("outside_in", &refine::run_outside_in, nb::arg("records"), nb::arg("k"), nb::arg("length"), nb::arg("reach"));
}

}  // namespace shoal

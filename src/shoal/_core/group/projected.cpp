// Projected microaggregation: records in the order of their projection, cut in the runs that are cheapest in space.
//
// In space no search is shorter than to look at every start of a run, and where subjects have many records in a row there
// are many. So many starts are looked at and no more; with up to this many the cut is the cheapest.
#include <limits>

#include "bindings.hpp"
#include "group/cheapest_runs.hpp"
#include "group/sorting.hpp"
#include "progress.hpp"

namespace shoal {
namespace {

constexpr std::size_t kStarts = 4096;

template <class Index>
std::vector<std::int64_t> projected_labels(const double* points, std::size_t width, std::span<const double> line,
                                           std::size_t k, std::span<const std::int32_t> subjects, Progress& progress) {
  const std::size_t n = line.size();
  const auto tick = [&](std::size_t done) { progress.tick(static_cast<std::int64_t>(done)); };
  auto sorted = sort_stably<Index>(line, [&](double) { tick(0); });
  sorted.values.reset();
  const auto read = [&](std::size_t column, std::size_t row, std::span<double> out) {
    for (double& value : out) value = points[column * n + sorted.order[row++]];
  };
  const RunLimits<Index> limits(n, k, subjects, [&](std::size_t place) { return sorted.order[place]; }, kStarts);
  const auto ends = cheapest_runs(read, width, limits, Search::every, tick);
  auto labels = labels_of_runs(sorted.order.get(), ends);
  progress.finish();
  return labels;
}

OutVector<std::int64_t> projected(const Matrix<double>& points, const Vector<double>& line, std::int64_t k,
                                  const Vector<std::int32_t>& subjects, nb::object callback) {
  const auto span = as_span(line);
  Progress progress(std::move(callback), static_cast<std::int64_t>(span.size()));
  std::vector<std::int64_t> labels;
  {
    nb::gil_scoped_release release;
    const bool small = span.size() <= std::numeric_limits<std::uint32_t>::max();
    labels = (small ? projected_labels<std::uint32_t> : projected_labels<std::uint64_t>)(
        points.data(), points.shape(1), span, static_cast<std::size_t>(k), as_span(subjects), progress);
  }
  return to_numpy(std::move(labels));
}

}  // namespace

void bind_projected(nb::module_& module) {
  module.def("projected", &projected, nb::arg("points"), nb::arg("line"), nb::arg("k"), nb::arg("subjects"),
             nb::arg("progress").none());
}

}  // namespace shoal

// Optimal univariate microaggregation: sort, cut in the cheapest runs, number the runs.
#include <limits>

#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "cheapest_runs.hpp"
#include "sorting.hpp"

namespace shoal {
namespace {

// A scan often looks at few of its k candidates, and always at neighbours; from here on its worst case outweighs that
// (benchmarks/univariate.py).
constexpr std::int64_t divide_from = 200;

template <class Index>
std::vector<std::int64_t> univariate_labels(std::span<const double> values, std::int64_t k, Search search,
                                            Progress& progress) {
  const std::size_t n = values.size();
  const auto sorted = sort_stably<Index>(n, [&](std::size_t i) { return values[i]; }, [&] { progress.tick(0); });
  const auto source = [&](std::size_t row, std::size_t) { return sorted.values[row]; };
  const auto ends = CheapestRuns(source, n, 1, static_cast<std::size_t>(k), search).ends(progress);
  std::vector<std::int64_t> labels(n);
  std::size_t row = 0;
  for (std::size_t run = 0; run < ends.size(); ++run) {
    for (; row < ends[run]; ++row) labels[sorted.order[row]] = static_cast<std::int64_t>(run);
  }
  progress.finish();
  return labels;
}

OutVector<std::int64_t> univariate(const Vector<double>& values, std::int64_t k, const std::string& search,
                                   nb::object callback) {
  const auto span = as_span(values);
  const bool divide = search == "divide" || (search == "auto" && k >= divide_from);
  Progress progress(std::move(callback), static_cast<std::int64_t>(span.size()));
  std::vector<std::int64_t> labels;
  {
    nb::gil_scoped_release release;
    const bool small = span.size() <= std::numeric_limits<std::uint32_t>::max();
    labels = (small ? univariate_labels<std::uint32_t> : univariate_labels<std::uint64_t>)(
        span, k, divide ? Search::divide : Search::scan, progress);
  }
  return to_numpy(std::move(labels));
}

}  // namespace

void bind_univariate(nb::module_& module) {
  module.def("univariate", &univariate, nb::arg("values"), nb::arg("k"), nb::arg("search") = "auto",
             nb::arg("progress") = nb::none());
}

}  // namespace shoal

// Optimal univariate microaggregation: sort, cut in the cheapest runs, number the runs.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>

#include "bindings.hpp"
#include "group/cheapest_runs.hpp"
#include "group/sorting.hpp"
#include "progress.hpp"

namespace shoal {
namespace {

template <class Index>
std::vector<std::int64_t> univariate_labels(std::span<const double> values, std::size_t k,
                                            std::span<const std::int32_t> subjects, const std::string& search,
                                            Progress& progress) {
  const std::size_t n = values.size();
  const auto tick = [&](std::size_t done) { progress.tick(static_cast<std::int64_t>(done)); };
  const auto sorted = sort_stably<Index>(values, [&](double) { tick(0); });
  const auto read = [&](std::size_t, std::size_t row, std::span<double> out) {
    std::copy_n(sorted.values.get() + row, out.size(), out.begin());
  };
  const RunLimits<Index> limits(n, k, subjects, [&](std::size_t place) { return sorted.order[place]; });
  const Search how = search == "divide" ? Search::divide
                     : search == "scan" ? Search::scan
                                        : search_for(limits.widest());
  const auto ends = cheapest_runs(read, 1, limits, how, tick);
  auto labels = labels_of_runs(sorted.order.get(), ends);
  progress.finish();
  return labels;
}

OutVector<std::int64_t> univariate(const Vector<double>& values, std::int64_t k, const Vector<std::int32_t>& subjects,
                                   const std::string& search, nb::object callback) {
  const auto span = as_span(values);
  Progress progress(std::move(callback), static_cast<std::int64_t>(span.size()));
  std::vector<std::int64_t> labels;
  {
    nb::gil_scoped_release release;
    const bool small = span.size() <= std::numeric_limits<std::uint32_t>::max();
    labels = (small ? univariate_labels<std::uint32_t> : univariate_labels<std::uint64_t>)(
        span, static_cast<std::size_t>(k), as_span(subjects), search, progress);
  }
  return to_numpy(std::move(labels));
}

}  // namespace

void bind_univariate(nb::module_& module) {
  module.def("univariate", &univariate, nb::arg("values"), nb::arg("k"), nb::arg("subjects"),
             nb::arg("search") = "auto", nb::arg("progress") = nb::none());
}

}  // namespace shoal

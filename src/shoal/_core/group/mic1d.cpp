// One-dimension microaggregation (Mic1D-k): all values of the table in one line, whatever attribute they are of.
//
// Sort the values and cut them in runs; put each value at its place between the least and the greatest of its run; sort
// these places and cut them again; take the mean of each run, and go back (Nin 2014, §3). There the second runs are
// scaled to [0, 1] too, before their means are taken and scaled back; a mean moves with its values, so that changes
// nothing here.
#include <algorithm>
#include <limits>

#include "bindings.hpp"
#include "exact/exact_sum.hpp"
#include "group/cheapest_runs.hpp"
#include "group/sorting.hpp"
#include "progress.hpp"

namespace shoal {
namespace {

struct Range {
  double low;
  double high;

  // Of huge values only halves can be subtracted without leaving the range of doubles.
  bool huge() const { return high - low > std::numeric_limits<double>::max(); }

  double place(double value) const {
    if (low == high) return 0.5;
    return huge() ? (value / 2 - low / 2) / (high / 2 - low / 2) : (value - low) / (high - low);
  }

  double value(double place) const {
    if (low == high) return low;
    const double value = huge() ? (low / 2 + place * (high / 2 - low / 2)) * 2 : low + place * (high - low);
    return std::clamp(value, low, high);
  }
};

template <class Tick>
std::vector<std::size_t> cut(const double* sorted, std::size_t n, std::size_t k, bool optimal, const Tick& tick) {
  if (optimal) {
    const auto source = [&](std::size_t row, std::size_t) { return sorted[row]; };
    const auto rows = static_cast<double>(n);
    return CheapestRuns(source, n, 1, k, search_for(k)).ends([&](std::size_t row) {
      tick(static_cast<double>(row) / rows);
    });
  }
  std::vector<std::size_t> ends;
  for (std::size_t end = k; end < n; end += k) ends.push_back(end);
  ends.push_back(n);
  return ends;
}

template <class Index>
std::vector<double> mic1d_values(std::span<const double> values, std::size_t k, bool optimal, Progress& progress) {
  const std::size_t n = values.size();
  // What a stage does of the whole, from share to share; sorting takes most of the time.
  const auto stage = [&](double from, double to) {
    return [&progress, from, to, n](double share) {
      progress.tick(static_cast<std::int64_t>((from + (to - from) * share) * static_cast<double>(n)));
    };
  };

  auto first = sort_stably<Index>(n, [&](std::size_t i) { return values[i]; }, stage(0.0, 0.4));
  const auto ends = cut(first.values.get(), n, k, optimal, stage(0.4, 0.5));
  std::vector<Range> ranges;
  ranges.reserve(ends.size());
  std::size_t at = 0;
  for (const std::size_t end : ends) {
    const Range range{first.values[at], first.values[end - 1]};
    ranges.push_back(range);
    for (; at < end; ++at) first.values[at] = range.place(first.values[at]);
  }

  const auto second = sort_stably<Index>(n, [&](std::size_t i) { return first.values[i]; }, stage(0.5, 0.8));
  first.values.reset();
  const auto run_of = [&](std::size_t i) {
    return optimal ? static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), i) - ends.begin()) : i / k;
  };
  std::vector<double> masked(n);
  at = 0;
  const auto tick = stage(0.9, 1.0);
  for (const std::size_t end : cut(second.values.get(), n, k, optimal, stage(0.8, 0.9))) {
    ExactSum sum;
    for (std::size_t i = at; i < end; ++i) sum.add(second.values[i]);
    const double mean = sum.rounded() / static_cast<double>(end - at);
    for (; at < end; ++at) {
      const std::size_t i = second.order[at];
      masked[first.order[i]] = ranges[run_of(i)].value(mean);
    }
    tick(static_cast<double>(end) / static_cast<double>(n));
  }
  progress.finish();
  return masked;
}

OutVector<double> mic1d(const Vector<double>& values, std::int64_t k, bool optimal, nb::object callback) {
  const auto span = as_span(values);
  Progress progress(std::move(callback), static_cast<std::int64_t>(span.size()));
  std::vector<double> masked;
  {
    nb::gil_scoped_release release;
    const bool small = span.size() <= std::numeric_limits<std::uint32_t>::max();
    masked = (small ? mic1d_values<std::uint32_t> : mic1d_values<std::uint64_t>)(span, static_cast<std::size_t>(k),
                                                                              optimal, progress);
  }
  return to_numpy(std::move(masked));
}

}  // namespace

void bind_mic1d(nb::module_& module) {
  module.def("mic1d", &mic1d, nb::arg("values"), nb::arg("k"), nb::arg("optimal"), nb::arg("progress").none());
}

}  // namespace shoal

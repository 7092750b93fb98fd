// One-dimension microaggregation (Mic1D-k): all values of the table in one line, whatever attribute they are of.
//
// Sort the values and cut them in runs; put each value at its place between the least and the greatest of its run; sort
// these places and cut them again; take the mean of each run, and go back (Nin 2014, §3). There the second runs are
// scaled to [0, 1] too, before their means are taken and scaled back; a mean moves with its values, so that changes
// nothing here.
#include <algorithm>
#include <functional>
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

// How values are cut in runs: k of them, or as many as k subjects take. The values of attribute after attribute are those
// of the same records, so the subject of a value is that of its place among the records.
struct Cut {
  std::size_t k;
  bool optimal;
  std::span<const std::int32_t> subjects;

  std::int32_t subject(std::size_t value) const { return subjects[value % subjects.size()]; }
};

// The value, among those that came in, that stands at a place of an order.
using ValueOf = std::function<std::size_t(std::size_t)>;

// Runs that end as soon as they are long enough. Of values the last may be shorter; subjects that are too few join the
// run before.
std::vector<std::size_t> fixed_runs(std::size_t n, const Cut& cut, const ValueOf& value_of) {
  std::vector<std::size_t> ends;
  if (cut.subjects.empty()) {
    for (std::size_t end = cut.k; end < n; end += cut.k) ends.push_back(end);
    ends.push_back(n);
    return ends;
  }
  const auto count = static_cast<std::size_t>(*std::max_element(cut.subjects.begin(), cut.subjects.end())) + 1;
  std::vector<std::size_t> last(count, 0);  // the run that each subject was last seen in, from 1
  std::size_t distinct = 0;
  for (std::size_t place = 0; place < n; ++place) {
    std::size_t& seen = last[cut.subject(value_of(place))];
    if (seen != ends.size() + 1) ++distinct;
    seen = ends.size() + 1;
    if (distinct < cut.k) continue;
    ends.push_back(place + 1);
    distinct = 0;
  }
  ends.back() = n;
  return ends;
}

template <class Index>
std::vector<std::size_t> runs(const double* sorted, std::size_t n, const Cut& cut, const ValueOf& value_of,
                              const std::function<void(double)>& tick) {
  if (!cut.optimal) return fixed_runs(n, cut, value_of);
  const auto read = [&](std::size_t, std::size_t row, std::span<double> out) {
    std::copy_n(sorted + row, out.size(), out.begin());
  };
  const auto row_of = [&](std::size_t place) { return value_of(place) % cut.subjects.size(); };
  const RunLimits<Index> limits(n, cut.k, cut.subjects, row_of);
  const auto rows = static_cast<double>(n);
  return cheapest_runs(read, 1, limits, search_for(limits.widest()),
                       [&](std::size_t row) { tick(static_cast<double>(row) / rows); });
}

template <class Index>
std::vector<double> mic1d_values(std::span<const double> values, const Cut& cut, Progress& progress) {
  const std::size_t n = values.size();
  // What a stage does of the whole, from share to share; sorting takes most of the time.
  const auto stage = [&](double from, double to) {
    return [&progress, from, to, n](double share) {
      progress.tick(static_cast<std::int64_t>((from + (to - from) * share) * static_cast<double>(n)));
    };
  };

  auto first = sort_stably<Index>(values, stage(0.0, 0.4));
  const auto ends = runs<Index>(
      first.values.get(), n, cut, [&](std::size_t place) { return first.order[place]; }, stage(0.4, 0.5));
  std::vector<Range> ranges;
  ranges.reserve(ends.size());
  std::size_t at = 0;
  for (const std::size_t end : ends) {
    const Range range{first.values[at], first.values[end - 1]};
    ranges.push_back(range);
    for (; at < end; ++at) first.values[at] = range.place(first.values[at]);
  }

  const auto second = sort_stably<Index>({first.values.get(), n}, stage(0.5, 0.8));
  first.values.reset();
  const auto run_of = [&](std::size_t i) {
    if (!cut.optimal && cut.subjects.empty()) return i / cut.k;
    return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), i) - ends.begin());
  };
  std::vector<double> masked(n);
  at = 0;
  const auto tick = stage(0.9, 1.0);
  const auto again = runs<Index>(
      second.values.get(), n, cut, [&](std::size_t place) { return first.order[second.order[place]]; },
      stage(0.8, 0.9));
  for (const std::size_t end : again) {
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

OutVector<double> mic1d(const Vector<double>& values, std::int64_t k, bool optimal,
                        const Vector<std::int32_t>& subjects, nb::object callback) {
  const auto span = as_span(values);
  const Cut cut{static_cast<std::size_t>(k), optimal, as_span(subjects)};
  Progress progress(std::move(callback), static_cast<std::int64_t>(span.size()));
  std::vector<double> masked;
  {
    nb::gil_scoped_release release;
    const bool small = span.size() <= std::numeric_limits<std::uint32_t>::max();
    masked = (small ? mic1d_values<std::uint32_t> : mic1d_values<std::uint64_t>)(span, cut, progress);
  }
  return to_numpy(std::move(masked));
}

}  // namespace

void bind_mic1d(nb::module_& module) {
  module.def("mic1d", &mic1d, nb::arg("values"), nb::arg("k"), nb::arg("optimal"), nb::arg("subjects"),
             nb::arg("progress").none());
}

}  // namespace shoal

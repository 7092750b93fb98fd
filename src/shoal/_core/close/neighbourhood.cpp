#include "close/neighbourhood.hpp"

#include <nanobind/stl/vector.h>

#include <array>
#include <numeric>

#include "bindings.hpp"
#include "group/groups.hpp"
#include "progress.hpp"
#include "search/record_arrays.hpp"

namespace shoal {
namespace {

// Groups under (n, t)-closeness: judged all at once, because a merger changes the neighbourhoods around it.
class Neighbours {
 public:
  Neighbours(const Records& records, std::span<const std::int64_t> labels, std::int64_t count, std::int64_t n,
             std::vector<const Closeness*> constraints)
      : constraints_(std::move(constraints)),
        centroids_(records, Groups(labels, count)),
        view_(centroids_.view()),
        tree_(view_),
        neighbourhoods_(centroids_, view_, tree_, n),
        alive_(count),
        verdicts_(count),
        place_(view_) {
    std::iota(alive_.begin(), alive_.end(), std::int64_t{0});
  }

  const std::vector<Verdict>& judge(Progress& progress) {
    for (const std::int64_t group : alive_) {
      progress.tick(static_cast<std::int64_t>(verdicts_.size() - alive_.size()));
      verdicts_[group] = {0.0, true};
      for (const Closeness* constraint : constraints_) {
        const Verdict verdict = neighbourhoods_.judge(*constraint, group);
        verdicts_[group].shortfall = std::max(verdicts_[group].shortfall, verdict.shortfall);
        verdicts_[group].met &= verdict.met;
      }
    }
    return verdicts_;
  }

  // In rounds: all groups are judged, then those that miss join their nearest, the worst first, each group once.
  void merge(Progress& progress) {
    const auto count = static_cast<std::int64_t>(alive_.size());
    while (true) {
      judge(progress);
      std::vector<std::int64_t> failing;
      for (const std::int64_t group : alive_) {
        if (!verdicts_[group].met) failing.push_back(group);
      }
      if (failing.empty() || alive_.size() == 1) return;
      std::stable_sort(failing.begin(), failing.end(), [&](std::int64_t a, std::int64_t b) {
        return verdicts_[a].shortfall > verdicts_[b].shortfall;
      });
      std::vector<char> touched(count, 0), gone(count, 0);
      for (const std::int64_t group : failing) {
        if (touched[group] || tree_.size() == 1) continue;
        const std::int64_t other = nearest_other(group);
        const std::int64_t kept = std::min(group, other), lost = std::max(group, other);
        tree_.remove(std::array{static_cast<Row>(kept), static_cast<Row>(lost)});
        centroids_.merge(kept, lost);
        tree_.insert(static_cast<Row>(kept));
        touched[kept] = touched[lost] = gone[lost] = 1;
      }
      std::erase_if(alive_, [&](std::int64_t group) { return gone[group] != 0; });
    }
  }

  std::vector<std::int64_t> labels(std::int64_t records) const {
    std::vector<std::int64_t> result(records);
    for (std::size_t number = 0; number < alive_.size(); ++number) {
      centroids_.each_row(alive_[number], [&](Row row) { result[row] = static_cast<std::int64_t>(number); });
    }
    return result;
  }

 private:
  std::int64_t nearest_other(std::int64_t group) {
    const auto self = static_cast<Row>(group);
    place_.set(view_, self);
    nearest_.reset(1, self);
    tree_.nearest(place_, nearest_, self);
    return nearest_.found().front().row;
  }

  std::vector<const Closeness*> constraints_;
  Centroids centroids_;
  Records view_;
  KdTree tree_;
  Neighbourhoods neighbourhoods_;
  std::vector<std::int64_t> alive_;
  std::vector<Verdict> verdicts_;
  Place place_;
  Nearest nearest_;
};

nb::tuple judge_neighbours(const RecordArrays& arrays, const Vector<std::int64_t>& labels, std::int64_t count,
                           std::int64_t n, const std::vector<const Closeness*>& constraints) {
  const Records records = arrays.view();
  Progress progress(nb::none(), count);
  std::vector<double> shortfalls;
  std::vector<std::uint8_t> met;
  {
    nb::gil_scoped_release release;
    Neighbours neighbours(records, as_span(labels), count, n, constraints);
    for (const Verdict& verdict : neighbours.judge(progress)) {
      shortfalls.push_back(verdict.shortfall);
      met.push_back(verdict.met);
    }
  }
  return nb::make_tuple(to_numpy(std::move(shortfalls)), to_numpy(std::move(met)));
}

OutVector<std::int64_t> merge_neighbours(const RecordArrays& arrays, const Vector<std::int64_t>& labels,
                                         std::int64_t count, std::int64_t n,
                                         const std::vector<const Closeness*>& constraints, nb::object callback) {
  const Records records = arrays.view();
  Progress progress(std::move(callback), count);
  std::vector<std::int64_t> result;
  {
    nb::gil_scoped_release release;
    Neighbours neighbours(records, as_span(labels), count, n, constraints);
    neighbours.merge(progress);
    result = neighbours.labels(records.size);
    progress.finish();
  }
  return to_numpy(std::move(result));
}

}  // namespace

void bind_neighbourhood(nb::module_& module) {
  module.def("judge_neighbours", &judge_neighbours, nb::arg("records"), nb::arg("labels"), nb::arg("count"),
             nb::arg("n"), nb::arg("constraints"));
  module.def("merge_neighbours", &merge_neighbours, nb::arg("records"), nb::arg("labels"), nb::arg("count"),
             nb::arg("n"), nb::arg("constraints"), nb::arg("progress").none());
}

}  // namespace shoal

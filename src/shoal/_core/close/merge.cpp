// Merging until every group meets its constraints: the worst group joins the one whose centroid is nearest.
#include <nanobind/stl/vector.h>

#include <array>
#include <queue>

#include "bindings.hpp"
#include "close/constraint.hpp"
#include "group/centroids.hpp"
#include "progress.hpp"
#include "search/kd_tree.hpp"
#include "search/record_arrays.hpp"

namespace shoal {
namespace {

class Merger {
 public:
  Merger(const Records& records, std::span<const std::int64_t> labels, std::int64_t count,
         std::vector<const Constraint*> constraints)
      : constraints_(std::move(constraints)),
        centroids_(records, Groups(labels, count)),
        view_(centroids_.view()),
        index_(view_),
        place_(view_),
        versions_(count, 0),
        shortfalls_(count, 0.0),
        alive_(count, true),
        left_(count),
        histograms_(constraints_.size()),
        convex_(std::all_of(constraints_.begin(), constraints_.end(), [](auto c) { return c->is_convex(); })) {
    for (std::size_t c = 0; c < constraints_.size(); ++c) count_codes(constraints_[c]->attribute(), histograms_[c]);
    for (std::int64_t group = 0; group < count; ++group) look_at(group);
  }

  void run(Progress& progress) {
    while (!queue_.empty() && left_ > 1) {
      const Suspect worst = queue_.top();
      queue_.pop();
      if (!alive_[worst.group] || worst.version != versions_[worst.group]) continue;
      if (!worst.judged) {
        look_at(worst.group);
        continue;
      }
      join(worst.group, nearest_other(worst.group));
      progress.tick(centroids_.size() - left_);
    }
  }

  // Groups that are left keep their order and are numbered from 0.
  std::vector<std::int64_t> labels(std::int64_t records) const {
    std::vector<std::int64_t> result(records);
    std::int64_t number = 0;
    for (std::int64_t group = 0; group < centroids_.size(); ++group) {
      if (!alive_[group]) continue;
      centroids_.each_row(group, [&](Row row) { result[row] = number; });
      ++number;
    }
    return result;
  }

 private:
  // A group that misses its constraints, or may: then its shortfall is a bound from above.
  struct Suspect {
    double shortfall;
    std::int64_t group;
    std::int64_t version;
    bool judged;

    bool operator<(const Suspect& other) const {
      return shortfall != other.shortfall ? shortfall < other.shortfall : group > other.group;
    }
  };

  void count_codes(const Attribute& attribute, std::vector<Histogram>& histograms) const {
    std::vector<std::int32_t> codes;
    histograms.resize(centroids_.size());
    for (std::int64_t group = 0; group < centroids_.size(); ++group) {
      codes.clear();
      centroids_.each_row(group, [&](Row row) { codes.push_back(attribute.code(row)); });
      histograms[group].assign(codes);
    }
  }

  void look_at(std::int64_t group) {
    bool met = true;
    double worst = 0.0;
    for (std::size_t c = 0; c < constraints_.size(); ++c) {
      const Verdict verdict = constraints_[c]->judge(histograms_[c][group], scratch_);
      met &= verdict.met;
      worst = std::max(worst, verdict.shortfall);
    }
    shortfalls_[group] = worst;
    if (!met) queue_.push({worst, group, versions_[group], true});
  }

  // Smallest distance between centroids, then lowest number.
  std::int64_t nearest_other(std::int64_t group) {
    const auto row = static_cast<Row>(group);
    place_.set(view_, row);
    nearest_.reset(1, row);
    index_.nearest(place_, nearest_, row);
    return nearest_.found().front().row;
  }

  void join(std::int64_t one, std::int64_t other) {
    const std::int64_t kept = std::min(one, other), gone = std::max(one, other);
    const auto kept_size = static_cast<double>(centroids_.count(kept));
    const auto gone_size = static_cast<double>(centroids_.count(gone));
    double bound = std::max(shortfalls_[kept], shortfalls_[gone]);
    if (convex_) {
      const double sum = shortfalls_[kept] * kept_size + shortfalls_[gone] * gone_size;
      bound = std::min(bound, sum / (kept_size + gone_size));
    }
    index_.remove(std::array{static_cast<Row>(kept), static_cast<Row>(gone)});
    centroids_.merge(kept, gone);
    for (auto& histograms : histograms_) histograms[kept].absorb(histograms[gone]);
    index_.insert(static_cast<Row>(kept));
    alive_[gone] = false;
    --left_;
    ++versions_[kept];
    // A little more than computed, so that rounding never hides a group behind a better one.
    shortfalls_[kept] = bound * (1.0 + 1e-9);
    queue_.push({shortfalls_[kept], kept, versions_[kept], false});
  }

  std::vector<const Constraint*> constraints_;
  Centroids centroids_;
  Records view_;
  KdTree index_;  // over the groups that are left, by their centroids
  Place place_;
  Nearest nearest_;
  std::priority_queue<Suspect> queue_;
  std::vector<std::int64_t> versions_;
  std::vector<double> shortfalls_;  // as last judged, or a bound
  std::vector<char> alive_;
  std::int64_t left_;
  std::vector<std::vector<Histogram>> histograms_;  // of each constraint's attribute, by group
  bool convex_;
  Scratch scratch_;
};

OutVector<std::int64_t> merge(const RecordArrays& arrays, const Vector<std::int64_t>& labels, std::int64_t count,
                              const std::vector<const Constraint*>& constraints, nb::object callback) {
  const Records records = arrays.view();
  Progress progress(std::move(callback), count);
  std::vector<std::int64_t> result;
  {
    nb::gil_scoped_release release;
    Merger merger(records, as_span(labels), count, constraints);
    merger.run(progress);
    result = merger.labels(records.size);
    progress.finish();
  }
  return to_numpy(std::move(result));
}

}  // namespace

void bind_merge(nb::module_& module) {
  module.def("merge", &merge, nb::arg("records"), nb::arg("labels"), nb::arg("count"), nb::arg("constraints"),
             nb::arg("progress").none());
}

}  // namespace shoal

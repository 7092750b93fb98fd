// V-MDAV: groups that grow from k to 2k - 1 subjects while the next record belongs to them more than elsewhere.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "bindings.hpp"
#include "group/average_record.hpp"
#include "group/settle.hpp"
#include "group/subject_count.hpp"
#include "progress.hpp"
#include "search/record_arrays.hpp"
#include "search/record_index.hpp"

namespace shoal {
namespace {

// All rows, farthest from the average record of the whole table first. That average does not move.
std::vector<Row> from_outside_in(const Records& records) {
  AverageRecord average(records);
  average.add_all();
  Place centre(records);
  average.locate(centre);
  std::vector<double> distances(records.size);
  for (std::int64_t i = 0; i < records.size; ++i) distances[i] = squared_distance(records, i, centre);
  std::vector<Row> rows(records.size);
  std::iota(rows.begin(), rows.end(), Row{0});
  std::sort(rows.begin(), rows.end(), [&](Row a, Row b) {
    return distances[a] != distances[b] ? distances[a] > distances[b] : a < b;
  });
  return rows;
}

class Grouping {
 public:
  Grouping(RecordIndex& index, const Records& records, const Duplicates& duplicates, std::int64_t k, double gain)
      : index_(index),
        duplicates_(duplicates),
        k_(k),
        gain_(gain),
        left_(records),
        inside_(records),
        labels_(records.size, kNone) {
    left_.add_all(records.size);
  }

  bool is_free(Row row) const { return labels_[row] == kNone; }
  bool is_over() const { return left_.distinct() < k_; }

  void form_around(Row row) {
    index_.gather(row, static_cast<std::size_t>(k_), group_, false);
    index_.remove(group_);
    for (const Row member : group_) join(member);
    extend();
    for (const Row member : group_) inside_.remove(member);
    ++formed_;
  }

  std::int64_t formed() const { return formed_; }
  std::int64_t settled() const { return settled_; }
  std::vector<std::int64_t>& labels() { return labels_; }

 private:
  struct Neighbouring {
    Neighbour outside;  // the nearest record that was free when it was asked for
    Row member;

    bool operator>(const Neighbouring& other) const { return other.outside < outside; }
  };

  void join(Row member) {
    inside_.add(member);
    for (Row row = member; row >= 0; row = duplicates_.repeat(row)) {
      labels_[row] = formed_;
      left_.remove(row);
      ++settled_;
    }
  }

  // Grows the group while the nearest record outside is nearer to it than `gain` times to any other outside.
  void extend() {
    std::priority_queue<Neighbouring, std::vector<Neighbouring>, std::greater<>> nearest;
    if (inside_.distinct() >= 2 * k_ - 1 || index_.size() == 0) return;
    for (const Row member : group_) nearest.push({index_.nearest(member), member});
    while (inside_.distinct() < 2 * k_ - 1 && index_.size() > 0) {
      const auto [next, member] = nearest.top();
      if (!is_free(next.row)) {  // it joined through another member; what is left is no nearer
        nearest.pop();
        nearest.push({index_.nearest(member), member});
        continue;
      }
      const Neighbour elsewhere = index_.nearest(next.row);
      if (!(next.distance < gain_ * gain_ * elsewhere.distance)) return;
      index_.remove(next.row);
      group_.push_back(next.row);
      join(next.row);
      nearest.push({elsewhere, next.row});
    }
  }

  RecordIndex& index_;
  const Duplicates& duplicates_;
  std::int64_t k_;
  double gain_;
  SubjectCount left_;    // of the records that are free
  SubjectCount inside_;  // of the group at hand
  std::vector<std::int64_t> labels_;
  std::vector<Row> group_;
  std::int64_t formed_ = 0, settled_ = 0;
};

std::vector<std::int64_t> vmdav(RecordIndex& index, const Records& records, const Duplicates& duplicates,
                                std::int64_t k, double gain, Progress& progress) {
  Grouping grouping(index, records, duplicates, k, gain);
  const std::vector<Row> order = from_outside_in(records);
  for (auto next = order.begin(); !grouping.is_over(); ++next) {
    if (!grouping.is_free(*next)) continue;
    grouping.form_around(*next);
    progress.tick(grouping.settled());
  }
  settle_rest(records, grouping.formed(), grouping.labels());
  return std::move(grouping.labels());
}

OutVector<std::int64_t> run_vmdav(const RecordArrays& arrays, std::int64_t k, double gain, const std::string& engine,
                                  nb::object callback) {
  const Records records = arrays.view();
  Progress progress(std::move(callback), records.size);
  std::vector<std::int64_t> labels;
  {
    nb::gil_scoped_release release;
    Duplicates duplicates(records);
    labels = vmdav(*make_index(engine, records, duplicates), records, duplicates, k, gain, progress);
    progress.finish();
  }
  return to_numpy(std::move(labels));
}

}  // namespace

void bind_vmdav(nb::module_& module) {
  module.def("vmdav", &run_vmdav, nb::arg("records"), nb::arg("k"), nb::arg("gain"), nb::arg("engine"),
             nb::arg("progress").none());
}

}  // namespace shoal

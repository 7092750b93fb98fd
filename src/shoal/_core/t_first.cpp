// t-closeness first (P1 Algorithm 3): each group takes one record from every subset of the confidential attribute.
#include "average_record.hpp"
#include "bindings.hpp"
#include "kd_tree.hpp"
#include "progress.hpp"
#include "record_arrays.hpp"

namespace shoal {
namespace {

class TFirst {
 public:
  // Subsets are given by the number of each record's subset. Every subset has one record per group to form, some have
  // extras: no more than groups, all subsets together.
  TFirst(const Records& records, std::span<const std::int32_t> subset_of, std::int64_t subset_count)
      : records_(records),
        all_(records),
        average_(records),
        labels_(records.size),
        groups_left_(records.size / subset_count),
        place_(records) {
    average_.add_all();
    std::vector<std::vector<Row>> rows(subset_count);
    for (std::int64_t row = 0; row < records.size; ++row) rows[subset_of[row]].push_back(static_cast<Row>(row));
    const auto slots = std::make_shared<SlotMap>(records.size);
    subsets_.reserve(subset_count);
    for (auto& subset : rows) subsets_.emplace_back(records, std::move(subset), slots);
  }

  std::vector<std::int64_t> run(Progress& progress) {
    Place centre(records_);
    while (all_.size() > 0) {
      average_.locate(centre);
      form_group(all_.farthest(centre).row);
      progress.tick(records_.size - all_.size());
      if (all_.size() == 0) break;
      form_group(all_.farthest(place_).row);
      progress.tick(records_.size - all_.size());
    }
    return std::move(labels_);
  }

 private:
  void form_group(Row row) {
    place_.set(records_, row);
    --groups_left_;
    group_.clear();
    bool extra_taken = false;
    for (KdTree& subset : subsets_) {
      take_nearest(subset);
      if (!extra_taken && subset.size() > groups_left_) {
        take_nearest(subset);
        extra_taken = true;
      }
    }
    for (const Row member : group_) {
      labels_[member] = formed_;
      average_.subtract(member);
    }
    all_.remove(group_);
    ++formed_;
  }

  void take_nearest(KdTree& subset) {
    nearest_.reset(1);
    subset.nearest(place_, nearest_);
    const Row row = nearest_.found().front().row;
    subset.remove({&row, 1});
    group_.push_back(row);
  }

  const Records& records_;
  KdTree all_;
  AverageRecord average_;
  std::vector<KdTree> subsets_;
  std::vector<std::int64_t> labels_;
  std::int64_t groups_left_;
  std::int64_t formed_ = 0;
  Place place_;
  Nearest nearest_;
  std::vector<Row> group_;
};

OutVector<std::int64_t> t_first(const RecordArrays& arrays, const Vector<std::int32_t>& subset_of,
                                std::int64_t subset_count, nb::object callback) {
  const Records records = arrays.view();
  Progress progress(std::move(callback), records.size);
  std::vector<std::int64_t> labels;
  {
    nb::gil_scoped_release release;
    labels = TFirst(records, as_span(subset_of), subset_count).run(progress);
    progress.finish();
  }
  return to_numpy(std::move(labels));
}

}  // namespace

void bind_t_first(nb::module_& module) {
  module.def("t_first", &t_first, nb::arg("records"), nb::arg("subset_of"), nb::arg("subset_count"),
             nb::arg("progress").none());
}

}  // namespace shoal

// t-closeness first (Soria-Comas et al. 2015, Algorithm 3): each group takes one record from every subset of the
// confidential attribute, and another one from every subset as long as it holds fewer than k subjects.
#include <optional>

#include "bindings.hpp"
#include "group/average_record.hpp"
#include "group/subject_count.hpp"
#include "progress.hpp"
#include "search/kd_tree.hpp"
#include "search/record_arrays.hpp"
#include "tuning.hpp"

namespace shoal {
namespace {

// The subsets, and the record of each that is nearest to a place: found in one search over all records, as long as near
// records are spread over the subsets; else subset by subset, in trees that are built when they are first needed.
class Subsets {
 public:
  Subsets(const Records& records, std::span<const std::int32_t> subset_of, std::int64_t count)
      : records_(records),
        gone_(records.size, 0),
        rows_(count),
        sizes_(count),
        trees_(count),
        fresh_(count),
        slots_(std::make_shared<SlotMap>(records.size)),
        nearest_(subset_of, count) {
    for (std::int64_t row = 0; row < records.size; ++row) rows_[subset_of[row]].push_back(static_cast<Row>(row));
    for (std::int64_t subset = 0; subset < count; ++subset) {
      sizes_[subset] = static_cast<std::int64_t>(rows_[subset].size());
    }
  }

  std::int64_t count() const { return static_cast<std::int64_t>(sizes_.size()); }
  std::int64_t size(std::int64_t subset) const { return sizes_[subset]; }

  // Looks around a record of the tree of all records.
  void look_around(const KdTree& all, const Place& place, Row row) {
    std::fill(fresh_.begin(), fresh_.end(), 0);
    if (given_up_ > 0.5 && ++skipped_ % 64 != 0) return;
    nearest_.reset(tuning::kSubsetPatience * count());
    all.nearest(place, nearest_, row);
    given_up_ += (nearest_.given_up() - given_up_) / 8;
    if (!nearest_.given_up()) std::fill(fresh_.begin(), fresh_.end(), 1);
  }

  // Takes the nearest record of a subset away.
  Row take(std::int64_t subset, const Place& place) {
    const Row row = fresh_[subset] != 0 ? nearest_.row(subset) : search(subset, place);
    fresh_[subset] = 0;
    gone_[row] = 1;
    --sizes_[subset];
    if (trees_[subset]) trees_[subset]->remove(row);
    return row;
  }

 private:
  Row search(std::int64_t subset, const Place& place) {
    if (!trees_[subset]) {
      std::erase_if(rows_[subset], [&](Row row) { return gone_[row] != 0; });
      trees_[subset].emplace(records_, std::move(rows_[subset]), slots_);
    }
    one_.reset(1);
    trees_[subset]->nearest(place, one_);
    return one_.found().front().row;
  }

  const Records& records_;
  std::vector<char> gone_;
  std::vector<std::vector<Row>> rows_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::optional<KdTree>> trees_;
  std::vector<char> fresh_;  // whether look_around found the subset's nearest record, and it is still there
  std::shared_ptr<SlotMap> slots_;
  NearestOfEach nearest_;
  Nearest one_;
  double given_up_ = 0.0;  // share of the last searches
  std::int64_t skipped_ = 0;
};

class TFirst {
 public:
  // Subsets are given by the number of each record's subset. Every subset has one record per round, some have extras: no
  // more than rounds, all subsets together.
  TFirst(const Records& records, std::span<const std::int32_t> subset_of, std::int64_t subset_count, std::int64_t k)
      : records_(records),
        k_(k),
        all_(records),
        average_(records),
        subsets_(records, subset_of, subset_count),
        labels_(records.size),
        rounds_left_(records.size / subset_count),
        subjects_(records),
        place_(records) {
    average_.add_all();
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
  // A round has one record of each subset, and so the spread that t asks for; with every record a subject of its own
  // also k subjects. Else rounds go on: so the further records of the group's subjects come along, which are often the
  // nearest. The last group may be left with too few.
  void form_group(Row row) {
    place_.set(records_, row);
    do {
      take_round(row);
    } while (subjects_.distinct() < k_ && rounds_left_ > 0);
    for (const Row member : group_) subjects_.remove(member);
    group_.clear();
    ++formed_;
  }

  void take_round(Row row) {
    --rounds_left_;
    round_.clear();
    subsets_.look_around(all_, place_, row);
    bool extra_taken = false;
    for (std::int64_t subset = 0; subset < subsets_.count(); ++subset) {
      round_.push_back(subsets_.take(subset, place_));
      if (!extra_taken && subsets_.size(subset) > rounds_left_) {
        round_.push_back(subsets_.take(subset, place_));
        extra_taken = true;
      }
    }
    for (const Row member : round_) {
      labels_[member] = formed_;
      average_.subtract(member);
      subjects_.add(member);
    }
    all_.remove(round_);
    group_.insert(group_.end(), round_.begin(), round_.end());
  }

  const Records& records_;
  std::int64_t k_;
  KdTree all_;
  AverageRecord average_;
  Subsets subsets_;
  std::vector<std::int64_t> labels_;
  std::int64_t rounds_left_;
  std::int64_t formed_ = 0;
  SubjectCount subjects_;  // of the group
  Place place_;
  std::vector<Row> group_, round_;
};

OutVector<std::int64_t> t_first(const RecordArrays& arrays, const Vector<std::int32_t>& subset_of,
                                std::int64_t subset_count, std::int64_t k, nb::object callback) {
  const Records records = arrays.view();
  Progress progress(std::move(callback), records.size);
  std::vector<std::int64_t> labels;
  {
    nb::gil_scoped_release release;
    labels = TFirst(records, as_span(subset_of), subset_count, k).run(progress);
    progress.finish();
  }
  return to_numpy(std::move(labels));
}

}  // namespace

void bind_t_first(nb::module_& module) {
  module.def("t_first", &t_first, nb::arg("records"), nb::arg("subset_of"), nb::arg("subset_count"), nb::arg("k"),
             nb::arg("progress").none());
}

}  // namespace shoal

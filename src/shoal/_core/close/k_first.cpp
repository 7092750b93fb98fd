// k-anonymity first (Soria-Comas et al. 2015, Algorithm 2): groups of k as MDAV forms them, each refined by swaps until
// it is within t. k counts subjects: a group has the nearest record of each of the k nearest subjects, the further ones
// of these subjects that are nearer still than most of its radius, and no swap leaves it with fewer subjects.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "bindings.hpp"
#include "close/by_code.hpp"
#include "close/by_place.hpp"
#include "close/chain_swaps.hpp"
#include "close/constraint.hpp"
#include "close/outward.hpp"
#include "close/tree_swaps.hpp"
#include "group/average_record.hpp"
#include "group/subject_count.hpp"
#include "progress.hpp"
#include "search/kd_tree.hpp"
#include "search/nearest_subjects.hpp"
#include "search/record_arrays.hpp"

namespace shoal {
namespace {

// A swap costs as much as the group is large, and a group of few subjects with many records may take as many swaps: beyond
// so many times k, its records stay as they are, and merging does the rest. Only subjects who have several records make
// a group larger than k.
constexpr std::int64_t kRefined = 32;

class KFirst {
 public:
  KFirst(const Records& records, std::int64_t k, std::vector<const Closeness*> constraints)
      : records_(records),
        k_(k),
        constraints_(std::move(constraints)),
        tree_(records),
        average_(records),
        outward_(records, tree_),
        left_(records),
        inside_(records),
        labels_(records.size, -1) {
    average_.add_all();
    for (Row row = 0; row < records.size; ++row) left_.add(row);
    for (const Closeness* constraint : constraints_) {
      const Attribute& attribute = constraint->attribute();
      if (attribute.is_chain()) {
        swaps_.push_back(std::make_unique<ChainSwaps>(attribute));
      } else {
        swaps_.push_back(std::make_unique<TreeSwaps>(attribute));
      }
    }
    if (constraints_.size() == 1) by_code_.emplace(constraints_.front()->attribute(), *swaps_.front());
  }

  // Records that are left when they are of fewer than k subjects have the label -1.
  std::vector<std::int64_t> run(Progress& progress) {
    Place centre(records_);
    while (left_.distinct() >= k_) {
      average_.locate(centre);
      const Row first = tree_.farthest(centre).row;
      Place place(records_);
      place.set(records_, first);
      form_group(first);
      progress.tick(records_.size - tree_.size());
      if (left_.distinct() < k_) break;
      form_group(tree_.farthest(place).row);
      progress.tick(records_.size - tree_.size());
    }
    return std::move(labels_);
  }

 private:
  void form_group(Row row) {
    members_.clear();
    if (tree_.size() < 2 * k_) {  // too few for two groups
      tree_.for_each([&](Row member) { members_.push_back(member); });
    } else {
      gather(row);
      if (size() <= kRefined * k_) refine();
      for (const Row member : members_) inside_.remove(member);
    }
    for (const Row member : members_) {
      labels_[member] = formed_;
      average_.subtract(member);
      left_.remove(member);
    }
    tree_.remove(members_);
    if (by_code_) by_code_->remove(members_);
    if (by_place_) by_place_->remove(members_);
    ++formed_;
  }

  // The group around a record, and whom it passed over on the way to k subjects.
  void gather(Row row) {
    outward_.start(row, k_ - 1);
    direct_ = walking_ = false;
    members_.push_back(row);
    inside_.add(row);
    further_.clear();
    while (inside_.distinct() < k_) {
      last_ = outward_.next();
      if (inside_.held(last_.row) == 0) {
        members_.push_back(last_.row);
        inside_.add(last_.row);
      } else {
        further_.push_back(last_);
      }
    }
    const auto passed = std::find_if(further_.begin(), further_.end(), [&](const Neighbour& further) {
      return further.distance >= kAlong * last_.distance;
    });
    for (auto along = further_.begin(); along != passed; ++along) {
      members_.push_back(along->row);
      inside_.add(along->row);
    }
    further_.erase(further_.begin(), passed);
    next_further_ = 0;
  }

  std::int64_t size() const { return static_cast<std::int64_t>(members_.size()); }

  void refine() {
    read_members();
    while (!within()) {
      const Neighbour candidate = next_candidate();
      if (candidate.row < 0) return;
      last_ = std::max(last_, candidate);
      const std::int32_t slot = slot_for(candidate.row);
      if (slot < 0) continue;
      inside_.remove(members_[slot]);
      inside_.add(candidate.row);
      members_[slot] = candidate.row;
      read_members();
    }
  }

  // The slot that a candidate takes, or -1.
  std::int32_t slot_for(Row row) {
    for (std::size_t a = 0; a < swaps_.size(); ++a) swaps_[a]->consider(constraints_[a]->attribute().code(row));
    return swaps_.size() == 1 ? best_slot(row) : best_slot_of_several(row);
  }

  // Whether k subjects stay if the candidate takes a slot.
  bool keeps_k(std::int32_t slot, Row row) const { return inside_.exchanged(members_[slot], row) >= k_; }

  // The next record outward, first those passed over; or, with one attribute, the next of those that would improve the
  // group: the ones between would be looked at in vain. They are set aside once they are few; while they are many, a tree
  // finds them where they have the first places.
  Neighbour next_candidate() {
    if (next_further_ < further_.size()) return further_[next_further_++];
    if (by_code_.has_value() && (direct_ || outward_.at_end())) {
      find_improving();
      std::int64_t records = 0;
      for (const auto& [begin, end] : ranges_) records += by_code_->count(begin, end);
      if (!direct_ && (records < 4 * outward_.next_batch() || outward_.next_batch() > tree_.size() / 4)) {
        direct_ = true;
        reserved_.clear();
      }
      if (direct_) return records == 0 ? Neighbour{0.0, -1} : nearest_improving();
      if (outward_.fetched() && swaps_.front()->improves_first_places()) return next_of_first_places();
    }
    return outward_.next();
  }

  // Notes where the codes that improve the group stand, in order.
  void find_improving() {
    ranges_.clear();
    swaps_.front()->improving([&](std::int32_t begin, std::int32_t end) { ranges_.push_back({begin, end}); });
    std::sort(ranges_.begin(), ranges_.end());
    std::size_t kept = 0;
    for (std::size_t i = 1; i < ranges_.size(); ++i) {  // neighbours are one range
      if (ranges_[i].first <= ranges_[kept].second) {
        ranges_[kept].second = std::max(ranges_[kept].second, ranges_[i].second);
      } else {
        ranges_[++kept] = ranges_[i];
      }
    }
    if (!ranges_.empty()) ranges_.resize(kept + 1);
  }

  // The next record outward that improves the group, by the tree of places, which is built when it is first needed. A swap
  // leaves fewer codes that improve, as a rule, and the walk goes on; where it does not, it begins anew.
  Neighbour next_of_first_places() {
    if (!by_place_) {
      const Swaps& swaps = *swaps_.front();
      const Attribute& attribute = constraints_.front()->attribute();
      std::vector<Row> rows;
      tree_.for_each([&](Row row) { rows.push_back(row); });
      by_place_.emplace(
          records_, std::move(rows), [&](Row row) { return swaps.place(attribute.code(row)); },
          [&](std::int32_t place) { return swaps.last_alike(place); });
    }
    if (!walking_ || !is_reserved()) by_place_->start(outward_.place());
    walking_ = true;
    reserved_ = ranges_;
    Neighbour candidate;
    do {
      candidate = by_place_->next(
          last_, ranges_.back().second, [this](std::int32_t place) { return improves(place); },
          [this](Row row) { return outward_.measured(row); });
    } while (candidate.row >= 0 && inside_.held(candidate.row) > 0 && slot_for(candidate.row) < 0);
    return candidate;
  }

  // The next record outward that improves the group. Those that do are set aside once, with their distances: a swap
  // leaves fewer codes that improve, as a rule, and where it does not they are sought anew. A record passed over is
  // nearer than the one taken, and not looked at again. One of a subject who is in the group already may find no slot that
  // leaves k subjects: so it is asked.
  Neighbour nearest_improving() {
    const auto farther = [](const Neighbour& one, const Neighbour& other) { return other < one; };
    if (!is_reserved()) {
      reserved_ = ranges_;
      reserve_.clear();
      for (const auto& [begin, end] : ranges_) {
        by_code_->each(begin, end, [&](Row row) {
          const Neighbour candidate{outward_.measured(row), row};
          if (last_ < candidate) reserve_.push_back(candidate);
        });
      }
      std::make_heap(reserve_.begin(), reserve_.end(), farther);
    }
    while (!reserve_.empty()) {
      std::pop_heap(reserve_.begin(), reserve_.end(), farther);
      const Neighbour candidate = reserve_.back();
      reserve_.pop_back();
      if (last_ < candidate && improves(swaps_.front()->place(constraints_.front()->attribute().code(candidate.row))) &&
          (inside_.held(candidate.row) == 0 || slot_for(candidate.row) >= 0)) {
        return candidate;
      }
    }
    return {0.0, -1};
  }

  // Whether all codes that improve the group are among those noted last.
  bool is_reserved() const {
    return std::all_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
      const auto after = std::upper_bound(reserved_.begin(), reserved_.end(), Range{range.first, kLastPlace});
      return after != reserved_.begin() && range.second <= std::prev(after)->second;
    });
  }

  bool improves(std::int32_t place) const {
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), Range{place, kLastPlace});
    return after != ranges_.begin() && place < std::prev(after)->second;
  }

  void read_members() {
    for (const auto& swaps : swaps_) swaps->reset(members_);
  }

  bool within() const {
    for (std::size_t a = 0; a < swaps_.size(); ++a) {
      if (!constraints_[a]->allows(swaps_[a]->work(), size())) return false;
    }
    return true;
  }

  // The slot where the candidate brings the group nearest to the table, if nearer than it is; else -1.
  std::int32_t best_slot(Row row) const {
    const Swap best = swaps_.front()->best();
    if (best.change >= 0) return -1;
    if (keeps_k(best.slot, row)) return best.slot;
    Wide least = 0;
    std::int32_t found = -1;
    for (std::int32_t slot = 0; slot < size(); ++slot) {
      if (!keeps_k(slot, row)) continue;
      const Wide change = swaps_.front()->change(slot);
      if (change < least || (change == least && found >= 0 && members_[slot] < members_[found])) {
        least = change;
        found = slot;
      }
    }
    return found;
  }

  // With several attributes, the one farthest above its t counts.
  std::int32_t best_slot_of_several(Row row) const {
    double least = worst([](std::size_t) { return Wide{0}; });
    std::int32_t best = -1;
    for (std::int32_t slot = 0; slot < size(); ++slot) {
      if (!keeps_k(slot, row)) continue;
      const double found = worst([&](std::size_t a) { return swaps_[a]->change(slot); });
      if (found < least || (found == least && best >= 0 && members_[slot] < members_[best])) {
        least = found;
        best = slot;
      }
    }
    return best;
  }

  template <class Change>
  double worst(Change change) const {
    double most = 0.0;
    for (std::size_t a = 0; a < swaps_.size(); ++a) {
      const double distance = constraints_[a]->attribute().distance(swaps_[a]->work() + change(a), size());
      most = std::max(most, distance / std::max(constraints_[a]->t(), 1e-9));
    }
    return most;
  }

  const Records& records_;
  std::int64_t k_;
  std::vector<const Closeness*> constraints_;
  std::vector<std::unique_ptr<Swaps>> swaps_;
  KdTree tree_;
  AverageRecord average_;
  Outward outward_;
  SubjectCount left_, inside_;  // among the records that no group took, and in the group
  std::optional<ByCode> by_code_;    // with one attribute only
  std::optional<ByPlace> by_place_;  // once needed
  using Range = std::pair<std::int32_t, std::int32_t>;
  static constexpr std::int32_t kLastPlace = std::numeric_limits<std::int32_t>::max();
  std::vector<Range> ranges_, reserved_;  // places of codes that improve the group, and of those noted last
  std::vector<Neighbour> reserve_;        // a heap with the nearest on top
  std::vector<Neighbour> further_;  // passed over, by distance: further records of the group's subjects
  std::size_t next_further_ = 0;
  bool direct_ = false, walking_ = false;  // whether those that improve are set aside, or found by the tree of places
  Neighbour last_{0.0, -1};  // the farthest record looked at
  std::vector<Row> members_;
  std::vector<std::int64_t> labels_;
  std::int64_t formed_ = 0;
};

OutVector<std::int64_t> k_first(const RecordArrays& arrays, std::int64_t k,
                                const std::vector<const Closeness*>& constraints, nb::object callback) {
  const Records records = arrays.view();
  Progress progress(std::move(callback), records.size);
  std::vector<std::int64_t> labels;
  {
    nb::gil_scoped_release release;
    labels = KFirst(records, k, constraints).run(progress);
    progress.finish();
  }
  return to_numpy(std::move(labels));
}

}  // namespace

void bind_k_first(nb::module_& module) {
  module.def("k_first", &k_first, nb::arg("records"), nb::arg("k"), nb::arg("constraints"), nb::arg("progress").none());
}

}  // namespace shoal

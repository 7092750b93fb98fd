// k-anonymity first (P1 Algorithm 2): groups of k as MDAV forms them, each refined by swaps until it is within t.
#include <nanobind/stl/vector.h>

#include "average_record.hpp"
#include "bindings.hpp"
#include "constraint.hpp"
#include "kd_tree.hpp"
#include "progress.hpp"
#include "record_arrays.hpp"
#include "swaps.hpp"

namespace shoal {
namespace {

// The records of a tree by increasing distance from one of them. They are asked for in batches that grow, since most
// groups need few; past a quarter of the tree, all the rest is sorted at once.
class Outward {
 public:
  Outward(const Records& records, const KdTree& tree) : records_(records), tree_(tree), place_(records) {}

  void start(Row row, std::int64_t first_batch) {
    row_ = row;
    place_.set(records_, row);
    next_ = 0;
    batch_ = first_batch;
    found_.clear();
  }

  const Place& place() const { return place_; }

  // The next record other than the first, or -1 when there is none.
  Row next() {
    if (next_ == found_.size() && !fetch()) return -1;
    return found_[next_++].row;
  }

 private:
  bool fetch() {
    const std::int64_t others = tree_.size() - 1;
    if (static_cast<std::int64_t>(found_.size()) >= others) return false;
    if (batch_ > others / 4) {
      found_.clear();
      tree_.for_each([&](Row row) {
        if (row != row_) found_.push_back({squared_distance(records_, row, place_), row});
      });
      std::sort(found_.begin(), found_.end());
    } else {
      nearest_.reset(static_cast<std::size_t>(batch_), row_);
      tree_.nearest(place_, nearest_, row_);
      found_ = nearest_.sorted();
      batch_ *= 4;
    }
    return true;
  }

  const Records& records_;
  const KdTree& tree_;
  Place place_;
  Row row_ = -1;
  std::size_t next_ = 0;
  std::int64_t batch_ = 0;
  std::vector<Neighbour> found_;
  Nearest nearest_;
};

class KFirst {
 public:
  KFirst(const Records& records, std::int64_t k, std::vector<const Closeness*> constraints)
      : records_(records),
        k_(k),
        constraints_(std::move(constraints)),
        tree_(records),
        average_(records),
        outward_(records, tree_),
        labels_(records.size) {
    average_.add_all();
    for (const Closeness* constraint : constraints_) swaps_.push_back(Swaps::of(constraint->attribute(), k));
  }

  std::vector<std::int64_t> run(Progress& progress) {
    Place centre(records_);
    while (tree_.size() > 0) {
      average_.locate(centre);
      const Row first = tree_.farthest(centre).row;
      Place place(records_);
      place.set(records_, first);
      form_group(first);
      progress.tick(records_.size - tree_.size());
      if (tree_.size() == 0) break;
      form_group(tree_.farthest(place).row);
      progress.tick(records_.size - tree_.size());
    }
    return std::move(labels_);
  }

 private:
  void form_group(Row row) {
    members_.clear();
    if (tree_.size() < 2 * k_) {
      tree_.for_each([&](Row member) { members_.push_back(member); });
    } else {
      outward_.start(row, std::max<std::int64_t>(4 * k_, 64));
      members_.push_back(row);
      while (static_cast<std::int64_t>(members_.size()) < k_) members_.push_back(outward_.next());
      refine();
    }
    for (const Row member : members_) {
      labels_[member] = formed_;
      average_.subtract(member);
    }
    tree_.remove(members_);
    ++formed_;
  }

  void refine() {
    read_members();
    while (!within()) {
      const Row candidate = outward_.next();
      if (candidate < 0) return;
      for (std::size_t a = 0; a < swaps_.size(); ++a) {
        swaps_[a]->consider(constraints_[a]->attribute().code(candidate));
      }
      const std::int32_t slot = swaps_.size() == 1 ? best_slot() : best_slot_of_several();
      if (slot < 0) continue;
      members_[slot] = candidate;
      read_members();
    }
  }

  void read_members() {
    for (const auto& swaps : swaps_) swaps->reset(members_);
  }

  bool within() const {
    for (std::size_t a = 0; a < swaps_.size(); ++a) {
      if (!constraints_[a]->limit().allows(swaps_[a]->work(), k_)) return false;
    }
    return true;
  }

  // The slot where the candidate brings the group nearest to the table, if nearer than it is; else -1.
  std::int32_t best_slot() const {
    const Swap best = swaps_.front()->best();
    return best.change < 0 ? best.slot : -1;
  }

  // With several attributes, the one farthest above its t counts.
  std::int32_t best_slot_of_several() const {
    double least = worst([](std::size_t) { return Wide{0}; });
    std::int32_t best = -1;
    for (std::int32_t slot = 0; slot < k_; ++slot) {
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
      const double distance = constraints_[a]->attribute().distance(swaps_[a]->work() + change(a), k_);
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

#include "refine/neighbour_lists.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "parallel.hpp"
#include "refine/joined_lists.hpp"
#include "search/duplicates.hpp"
#include "search/kd_tree.hpp"

namespace shoal::refine {
namespace {

// Equal records stand in slots that follow each other: where they begin, by the first row of each, and how many.
struct Spot {
  Row front;
  Slot first;
  std::int32_t count;
};

class ListMaker {
 public:
  ListMaker(const Records& records, const ListOptions& options)
      : plain_(without_subjects(records)),
        duplicates_(plain_),
        tree_(std::in_place, plain_, duplicates_.fronts()),
        options_(options),
        spot_of_(records.size) {
    made_.length = options.length;
    made_.rows.reserve(records.size);
    spots_.reserve(static_cast<std::size_t>(tree_->size()));
    tree_->for_each([&](Row front) {
      const auto first = static_cast<Slot>(made_.rows.size());
      for (Row row = front; row >= 0; row = next(row)) made_.rows.push_back(row);
      spot_of_[front] = static_cast<std::int32_t>(spots_.size());
      spots_.push_back({front, first, static_cast<std::int32_t>(made_.rows.size()) - first});
    });
    made_.spacing.resize(records.size);
  }

  NeighbourLists make(Progress& progress) {
    made_.lists.resize(made_.rows.size() * made_.length);
    if (options_.reach <= 0.0) {
      join(progress);
    } else {
      search(progress);
    }
    return std::move(made_);
  }

 private:
  // Without a search: some of the nearest are missed.
  void join(Progress& progress) {
    tree_.reset();  // nothing but its order is needed
    std::vector<Row> fronts;
    fronts.reserve(spots_.size());
    for (const Spot& spot : spots_) fronts.push_back(spot.front);
    const JoinedLists joined(FloatRecords(plain_, fronts, options_.unit), made_.length, progress);
    in_shares(static_cast<std::int64_t>(spots_.size()), progress, [&](std::int64_t begin, std::int64_t end) {
      std::vector<Neighbour> others;
      for (std::int64_t i = begin; i < end; ++i) {
        others.clear();
        for (const auto& [distance, place] : joined.of(i)) others.push_back({distance * options_.unit, fronts[place]});
        for (std::int32_t at = 0; at < spots_[i].count; ++at) fill(spots_[i], at, others);
      }
    });
  }

  // Calls work(begin, end) for parts of a number of items, on all processors.
  template <class Work>
  static void in_shares(std::int64_t count, Progress& progress, const Work& work) {
    const auto workers = static_cast<std::int64_t>(workers_for(static_cast<std::size_t>(count), kLeastLists));
    for (std::int64_t begin = 0; begin < count; begin += workers * kListsAtOnce) {
      const std::int64_t end = std::min(begin + workers * kListsAtOnce, count);
      in_parallel(static_cast<std::size_t>(workers), [&](std::size_t worker) {
        const auto share = static_cast<std::int64_t>(worker);
        work(begin + (end - begin) * share / workers, begin + (end - begin) * (share + 1) / workers);
      });
      progress.tick(0);
    }
  }

  void search(Progress& progress) {
    in_shares(static_cast<std::int64_t>(spots_.size()), progress,
              [this](std::int64_t begin, std::int64_t end) { list(begin, end); });
  }

  static Records without_subjects(Records records) {
    records.subjects = {};
    return records;
  }

  Row next(Row row) const { return duplicates_.chain() == nullptr ? -1 : duplicates_.chain()[row]; }

  void list(std::int64_t begin, std::int64_t end) {
    Place place(plain_);
    NearlyNearest nearest(options_.reach);
    for (std::int64_t i = begin; i < end; ++i) {
      const Spot& here = spots_[i];
      tree_->locate(here.front, place);
      nearest.reset(static_cast<std::size_t>(made_.length), here.front);
      tree_->nearest(place, nearest, here.front);
      const std::vector<Neighbour>& others = nearest.sorted();
      for (std::int32_t at = 0; at < here.count; ++at) fill(here, at, others);
    }
  }

  // The list of one of the records at a spot: some that are equal to it, then one of each nearest spot.
  void fill(const Spot& here, std::int32_t at, const std::vector<Neighbour>& others) {
    const Slot slot = here.first + at;
    const auto length = static_cast<std::int32_t>(made_.length);
    const auto apart = static_cast<std::int32_t>(others.size());
    const std::int32_t equals = std::min(here.count - 1, std::max((length + 1) / 2, length - apart));
    Slot* const list = made_.lists.data() + static_cast<std::int64_t>(slot) * length;
    std::int32_t filled = 0;
    for (; filled < std::min(equals, length); ++filled) list[filled] = here.first + (at + 1 + filled) % here.count;
    for (std::int32_t i = 0; filled < length; ++filled, ++i) {
      if (i < apart) {
        const Spot& there = spots_[spot_of_[others[i].row]];
        list[filled] = there.first + at % there.count;
      } else {
        list[filled] = slot;
      }
    }
    double sum = 0.0;
    const std::int32_t beyond = std::min(std::max(options_.spacing_over - (here.count - 1), 0), apart);
    for (std::int32_t i = 0; i < beyond; ++i) sum += others[i].distance;
    made_.spacing[slot] = static_cast<float>(sum / options_.spacing_over / options_.unit);
  }

  Records plain_;  // whose records they are changes no distance
  Duplicates duplicates_;
  std::optional<KdTree> tree_;
  ListOptions options_;
  std::vector<std::int32_t> spot_of_;  // by front
  std::vector<Spot> spots_;
  NeighbourLists made_;
};

}  // namespace

NeighbourLists find_neighbours(const Records& records, const ListOptions& options, Progress& progress) {
  return ListMaker(records, options).make(progress);
}

}  // namespace shoal::refine

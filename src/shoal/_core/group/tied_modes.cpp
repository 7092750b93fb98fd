// Which of a group's equally frequent categories stands for it: the one that is farthest behind its share.
//
// The groups come in an order that a hash decided, one after the other. A fair draw among m categories would give each
// the group's records with probability 1/m. What such draws would have given so far, plus the same part of what groups
// without a tie took from or gave to a category, minus what it was given, is how far it is behind. It is counted for
// every category and for every dyadic interval of categories around it, so that shares of neighbours (codes with one
// beginning, for example) stay together, too: errors do not add up as those of independent draws would.
#include <cstdint>
#include <vector>

#include "bindings.hpp"

namespace shoal {
namespace {

class Shares {
 public:
  explicit Shares(std::size_t categories) {
    for (std::size_t width = categories;; width = (width + 1) / 2) {
      behind_.emplace_back(width, 0.0);
      owed_.emplace_back(width, 0.0);
      if (width <= 1) break;
    }
  }

  void owe(std::size_t category, double records) { add(owed_, category, records); }
  void move(std::size_t category, double records) { add(behind_, category, records); }

  // `done` is the part of all groups that came.
  double behind(std::size_t category, double done) const {
    double sum = 0.0;
    for (std::size_t level = 0; level < behind_.size(); ++level, category /= 2)
      sum += behind_[level][category] + owed_[level][category] * done;
    return sum;
  }

 private:
  using Levels = std::vector<std::vector<double>>;

  static void add(Levels& levels, std::size_t category, double records) {
    for (auto& level : levels) {
      level[category] += records;
      category /= 2;
    }
  }

  Levels behind_;  // of a fair draw, per category, pair of categories, four of them, ...
  Levels owed_;    // by the groups without a tie
};

// starts: where the categories of each group begin; wanted: records of each category that groups with a tie should
// still be given. Among equals the first listed is taken. The place of the chosen category, for each group.
nb::object choose_tied(Vector<std::int64_t> starts, Vector<std::int32_t> categories, Vector<std::int64_t> sizes,
                       Vector<double> wanted) {
  const std::size_t groups = sizes.shape(0);
  std::vector<std::int64_t> chosen(groups);
  {
    nb::gil_scoped_release release;
    Shares shares(wanted.shape(0));
    const auto fair = [&](std::size_t g) {
      return static_cast<double>(sizes.data()[g]) / static_cast<double>(starts.data()[g + 1] - starts.data()[g]);
    };
    for (std::size_t c = 0; c < wanted.shape(0); ++c) shares.owe(c, wanted.data()[c]);
    for (std::size_t g = 0; g < groups; ++g)
      for (auto i = starts.data()[g]; i < starts.data()[g + 1]; ++i)
        shares.owe(static_cast<std::size_t>(categories.data()[i]), -fair(g));
    for (std::size_t g = 0; g < groups; ++g) {
      const double done = static_cast<double>(g + 1) / static_cast<double>(groups);
      const auto first = starts.data()[g], last = starts.data()[g + 1];
      for (auto i = first; i < last; ++i) shares.move(static_cast<std::size_t>(categories.data()[i]), fair(g));
      auto best = first;
      double most = shares.behind(static_cast<std::size_t>(categories.data()[first]), done);
      for (auto i = first + 1; i < last; ++i) {
        const double behind = shares.behind(static_cast<std::size_t>(categories.data()[i]), done);
        if (behind > most) most = behind, best = i;
      }
      chosen[g] = best;
      shares.move(static_cast<std::size_t>(categories.data()[best]), -static_cast<double>(sizes.data()[g]));
    }
  }
  return to_numpy(std::move(chosen));
}

}  // namespace

void bind_tied_modes(nb::module_& module) {
  module.def("choose_tied", &choose_tied, nb::arg("starts"), nb::arg("categories"), nb::arg("sizes"),
             nb::arg("wanted"));
}

}  // namespace shoal

// Records and the centres of groups in single precision: what a move would change.
//
// Moves are screened by floats, of which four are added at a time in a fixed order, so that every processor comes to
// the same result. Where a change must be sure, cost() adds up in doubles what the floats stand for. Nothing is kept
// up to date by differences: a group that was touched is located anew from its members, so nothing drifts.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "refine/categories.hpp"
#include "refine/four.hpp"
#include "refine/group_table.hpp"
#include "search/lines.hpp"
#include "search/records.hpp"

namespace shoal::refine {

// Where the coordinates have their centre, and the unit in which squared distances are told.
struct Frame {
  std::vector<double> centre;
  double scale = 1.0;  // of coordinates
  double unit = 1.0;   // of squared distances: 1 / scale²
};
Frame frame_of(const Records& records);

// D: numbers in a row, a multiple of kLanes; 0 where that is known at run time alone.
template <int D>
class Space {
 public:
  Space(const Records& records, std::span<const Row> rows, const Frame& frame, const GroupTable& groups)
      : groups_(groups),
        width_((std::max(records.coord_count, 1) + kLanes - 1) / kLanes * kLanes),
        numbers_(rows.size() * width()),
        categories_(records, rows, frame.unit),
        mean_(width()) {
    for (std::size_t slot = 0; slot < rows.size(); ++slot) {
      for (int j = 0; j < records.coord_count; ++j) {
        const double centred = records.number(rows[slot], j) - frame.centre[j];
        numbers_[slot * width() + j] = static_cast<float>(centred * frame.scale);
      }
    }
    begin_anew();
  }

  // To be called where the table is another one than before, perhaps of more or larger groups.
  void begin_anew() {
    centres_.resize(static_cast<std::size_t>(groups_.end()) * width());
    category_costs_.resize(categories_.none() ? 0 : groups_.end());
    inverse_.resize(static_cast<std::size_t>(groups_.widest()) + 2);
    for (std::size_t i = 1; i < inverse_.size(); ++i) inverse_[i] = 1.0F / static_cast<float>(i);
    for (Group group = 0; group < groups_.end(); ++group) {
      if (groups_.size(group) > 0) locate(group);
    }
  }

  // Finds the centre of a group after its members changed.
  void locate(Group group) {
    const auto members = groups_.members(group);
    float* const to = centres_.data() + static_cast<std::int64_t>(group) * width();
    const Four share = four_of(inverse_[members.size()]);
    for (int j = 0; j < width(); j += kLanes) {
      Four sum = four_of(0.0F);
      for (const Slot slot : members) sum = sum + load(row(slot) + j);
      store(sum * share, to + j);
    }
    if (!categories_.none()) category_costs_[group] = categories_.cost(members);
  }

  // What a group costs more with another record: with b records, b / (b + 1) · |x − c|² for numbers.
  float joining(Slot x, Group group) {
    const auto b = static_cast<std::size_t>(groups_.size(group));
    const float change = static_cast<float>(b) * inverse_[b + 1] * apart(row(x), centre(group));
    return categories_.none() ? change : change + changed_categories(group, -1, x);
  }

  // What a group of two or more costs more, which is less, without one of its records: − a / (a − 1) · |x − c|².
  float leaving(Slot x, Group group) {
    const auto a = static_cast<std::size_t>(groups_.size(group));
    const float change = -static_cast<float>(a) * inverse_[a - 1] * apart(row(x), centre(group));
    return categories_.none() ? change : change + changed_categories(group, x, -1);
  }

  // What x of one group and each member z of another would change if they changed places. With v = x − z and D the
  // difference of the centres, the squared distances to the means change by 2 v·D − |v|² (1/a + 1/b).
  void exchanging(Slot x, Group from, Group to, float* changes) {
    const auto members = groups_.members(to);
    const float* const here = row(x);
    const float* const first = centre(from);
    const float* const second = centre(to);
    const Four weight = four_of(inverse_[groups_.size(from)] + inverse_[members.size()]);
    const auto twice_apart = [&](int j) {
      const Four apart = load(first + j) - load(second + j);
      return apart + apart;
    };
    const auto change_all = [&](const auto& twice, const auto& own) {
      for (std::size_t i = 0; i < members.size(); ++i) {
        const float* const there = row(members[i]);
        Four sum = four_of(0.0F);
        for (int j = 0; j < width(); j += kLanes) {
          const Four v = own(j) - load(there + j);
          sum = sum + v * (twice(j) - weight * v);
        }
        changes[i] = total(sum);
      }
    };
    if constexpr (D > 0) {  // read once: to the compiler, any change that is written might be one of the numbers read
      Four apart[D / kLanes], own[D / kLanes];
      for (int j = 0; j < D; j += kLanes) {
        apart[j / kLanes] = twice_apart(j);
        own[j / kLanes] = load(here + j);
      }
      change_all([&](int j) { return apart[j / kLanes]; }, [&](int j) { return own[j / kLanes]; });
    } else {
      change_all(twice_apart, [&](int j) { return load(here + j); });
    }
    if (categories_.none()) return;
    const auto before = static_cast<float>(category_costs_[from] + category_costs_[to]);
    for (std::size_t i = 0; i < members.size(); ++i) changes[i] -= before;
    categories_.exchanged(x, groups_.members(from), members, changes);
  }

  // What a group costs, as near as its floats tell.
  float spread(Group group) const {
    float sum = categories_.none() ? 0.0F : static_cast<float>(category_costs_[group]);
    for (const Slot slot : groups_.members(group)) sum += apart(row(slot), centre(group));
    return sum;
  }

  // What these records cost as a group, in doubles.
  double cost(std::span<const Slot> members) {
    std::fill(mean_.begin(), mean_.end(), 0.0);
    for (const Slot slot : members) {
      for (int j = 0; j < width(); ++j) mean_[j] += row(slot)[j];
    }
    const auto size = static_cast<double>(members.size());
    for (int j = 0; j < width(); ++j) mean_[j] /= size;
    double sum = categories_.none() ? 0.0 : categories_.cost(members);
    for (const Slot slot : members) {
      for (int j = 0; j < width(); ++j) {
        const double away = row(slot)[j] - mean_[j];
        sum += away * away;
      }
    }
    return sum;
  }

 private:
  int width() const {
    if constexpr (D > 0) return D;
    return width_;
  }
  const float* row(Slot slot) const { return numbers_.data() + static_cast<std::int64_t>(slot) * width(); }
  const float* centre(Group group) const { return centres_.data() + static_cast<std::int64_t>(group) * width(); }

  float apart(const float* one, const float* other) const {
    Four sum = four_of(0.0F);
    for (int j = 0; j < width(); j += kLanes) {
      const Four difference = load(one + j) - load(other + j);
      sum = sum + difference * difference;
    }
    return total(sum);
  }

  float changed_categories(Group group, Slot without, Slot with) {
    return static_cast<float>(categories_.cost(groups_.members(group), without, with) - category_costs_[group]);
  }

  const GroupTable& groups_;
  int width_;
  Lines<float> numbers_;  // by slot
  Lines<float> centres_;  // by group
  Categories categories_;
  std::vector<double> category_costs_;  // by group
  std::vector<float> inverse_;          // 1 / i
  std::vector<double> mean_;
};

}  // namespace shoal::refine

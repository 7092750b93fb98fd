// Swaps on ordered values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "close/swaps.hpp"

namespace shoal {

// A candidate at v in the place of a member at u < v takes one record away from the positions u..v-1,
// counted from below; at u > v it adds one to the positions v..u-1. Between two group values the group's count is
// constant, so with `turn(c)`, the position where the table overtakes c of the group, every such sum is O(1), and sums
// from the left end tell all members apart: the best one on either side of v is a prefix maximum, a suffix minimum.
class ChainSwaps : public Swaps {
 public:
  explicit ChainSwaps(const Attribute& attribute) : attribute_(attribute) {}

  void reset(std::span<const Row> members) override {
    resize(static_cast<std::int64_t>(members.size()));
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
      const std::int32_t one = attribute_.code(members[a]), other = attribute_.code(members[b]);
      return one != other ? one < other : members[a] < members[b];
    });
    values_.clear();
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::int32_t slot = order_[i], code = attribute_.code(members[slot]);
      if (values_.empty() || values_.back().code != code) {
        values_.push_back({.code = code, .slot = slot, .row = members[slot]});
      }
      values_.back().records = static_cast<std::int64_t>(i) + 1;
      value_of_slot_[slot] = static_cast<std::int32_t>(values_.size()) - 1;
    }
    add_up();
  }

  Wide work() const override { return work_; }

  void consider(std::int32_t code) override {
    const auto after = [](std::int32_t position, const Value& value) { return position < value.code; };
    right_ = static_cast<std::int32_t>(std::upper_bound(values_.begin(), values_.end(), code, after) - values_.begin());
    left_ = right_ - 1;
    down_ = left_ < 0 ? 0 : values_[left_].down + shift(left_, -1, values_[left_].code, code);
    up_ = right_ == count() ? 0 : (left_ < 0 ? 0 : values_[left_].up) + shift(left_, +1, from(left_), code);
    if (left_ >= 0 && values_[left_].code == code) --left_;
  }

  Wide change(std::int32_t slot) const override {
    const std::int32_t value = value_of_slot_[slot];
    if (value <= left_) return down_ - values_[value].down;
    return value >= right_ ? values_[value].up - up_ : 0;
  }

  Swap best() const override {
    Swap best{0, 0};
    Row row = std::numeric_limits<Row>::max();
    const auto offer = [&](std::int32_t value, Wide change) {
      if (change > best.change || (change == best.change && values_[value].row > row)) return;
      best = {change, values_[value].slot};
      row = values_[value].row;
    };
    if (left_ >= 0) {
      const std::int32_t value = values_[left_].best_left;
      offer(value, down_ - values_[value].down);
    }
    if (right_ < count()) {
      const std::int32_t value = values_[right_].best_right;
      offer(value, values_[value].up - up_);
    }
    return best;
  }

  // Right of a value, the work that a candidate would leave is convex in its position as long as no other group value
  // comes: what each step adds only grows, from -n to +n, as the table's count passes that of the group. So the
  // candidates that lower the work on either side are one range each, around the lowest point.
  void improving(const std::function<void(std::int32_t, std::int32_t)>& visit) override {
    for (std::int32_t i = -1; i < count(); ++i) {
      if (i >= 0) {
        consider(values_[i].code);
        if (best().change < 0) visit(values_[i].code, values_[i].code + 1);
      }
      const std::int32_t begin = i < 0 ? 0 : values_[i].code + 1;
      const std::int32_t end = i + 1 < count() ? values_[i + 1].code : attribute_.levels();
      if (begin >= end) continue;
      if (i >= 0) {
        const Wide best = values_[values_[i].best_left].down;
        const auto change = [&](std::int32_t v) { return values_[i].down + shift(i, -1, values_[i].code, v) - best; };
        visit_negative(begin, end, half_way(i, -1, begin, end), change, visit);
      }
      if (i + 1 < count()) {
        const Wide best = values_[values_[i + 1].best_right].up, base = i < 0 ? 0 : values_[i].up;
        const auto change = [&](std::int32_t v) { return best - base - shift(i, +1, from(i), v); };
        visit_negative(begin, end, half_way(i, +1, begin, end), change, visit);
      }
    }
  }

 private:
  void resize(std::int64_t group) {
    if (group == group_) return;
    group_ = group;
    turns_.clear();
    for (std::int64_t records = 0; records <= group; ++records) {
      turns_.push_back(attribute_.overtaken(records, group, 0, attribute_.levels()));
    }
    order_.resize(group);
    value_of_slot_.resize(group);
  }

  // One distinct value of the group.
  struct Value {
    std::int32_t code;
    std::int32_t slot;  // its member of the lowest row
    Row row;
    std::int64_t records = 0;     // members at or below the value
    Wide down = 0;                // change of the work if every position left of the value had one record less
    Wide up = 0;                  // ... one record more
    std::int32_t best_left = 0;   // value with the greatest `down` up to this one
    std::int32_t best_right = 0;  // value with the least `up` from this one on
  };

  std::int32_t count() const { return static_cast<std::int32_t>(values_.size()); }
  std::int32_t from(std::int32_t value) const { return value < 0 ? 0 : values_[value].code; }
  std::int64_t records(std::int32_t value) const { return value < 0 ? 0 : values_[value].records; }

  Wide stretch(std::int64_t records, std::int32_t begin, std::int32_t end) const {
    return attribute_.stretch(records, group_, turns_[records], begin, end);
  }

  // Change of the work over [begin, end), right of `value` and left of the next, if the group had `by` more there.
  Wide shift(std::int32_t value, int by, std::int32_t begin, std::int32_t end) const {
    if (begin == end) return 0;
    return stretch(records(value) + by, begin, end) - stretch(records(value), begin, end);
  }

  // The lowest point right of a value if the group had `by` more or less there: where the table's count, in records of
  // the group, passes the middle between the counts before and after.
  std::int32_t half_way(std::int32_t value, int by, std::int32_t begin, std::int32_t end) const {
    const std::int64_t middle = (2 * records(value) + by) * attribute_.size();
    const auto before = [&](std::int32_t v) { return 2 * attribute_.count(v) * group_ < middle; };
    return first_without(begin, end, before);
  }

  // The first of begin … end - 1 that a property does not hold for, where it holds for all before; or end.
  template <class Property>
  static std::int32_t first_without(std::int32_t begin, std::int32_t end, Property holds) {
    while (begin < end) {
      const std::int32_t middle = begin + (end - begin) / 2;
      if (holds(middle)) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }

  // The range where a convex function with its lowest point at or next to `lowest` is negative.
  template <class Change>
  static void visit_negative(std::int32_t begin, std::int32_t end, std::int32_t lowest, Change change,
                             const std::function<void(std::int32_t, std::int32_t)>& visit) {
    lowest = std::min(lowest, end - 1);
    if (change(lowest) >= 0) return;
    visit(first_without(begin, lowest, [&](std::int32_t v) { return change(v) >= 0; }),
          first_without(lowest, end, [&](std::int32_t v) { return change(v) < 0; }));
  }

  void add_up() {
    work_ = stretch(0, 0, values_.front().code);
    values_.front().up = shift(-1, +1, 0, values_.front().code);
    for (std::int32_t i = 0; i < count(); ++i) {
      Value& value = values_[i];
      if (i + 1 < count()) {
        Value& next = values_[i + 1];
        next.down = value.down + shift(i, -1, value.code, next.code);
        next.up = value.up + shift(i, +1, value.code, next.code);
        work_ += stretch(value.records, value.code, next.code);
      } else {
        work_ += stretch(value.records, value.code, attribute_.levels());
      }
      value.best_left = i;
      if (i > 0) {
        const Value& rival = values_[values_[i - 1].best_left];
        if (rival.down > value.down || (rival.down == value.down && rival.row < value.row)) {
          value.best_left = values_[i - 1].best_left;
        }
      }
    }
    for (std::int32_t i = count() - 1; i >= 0; --i) {
      Value& value = values_[i];
      value.best_right = i;
      if (i + 1 < count()) {
        const Value& rival = values_[values_[i + 1].best_right];
        if (rival.up < value.up || (rival.up == value.up && rival.row < value.row)) {
          value.best_right = values_[i + 1].best_right;
        }
      }
    }
  }

  const Attribute& attribute_;
  std::int64_t group_ = -1;
  std::vector<std::int32_t> turns_;
  std::vector<std::int32_t> order_;
  std::vector<std::int32_t> value_of_slot_;
  std::vector<Value> values_;
  Wide work_ = 0;
  std::int32_t left_ = -1, right_ = 0;  // the last value left of the candidate, the first right of it
  Wide down_ = 0, up_ = 0;
};

}  // namespace shoal

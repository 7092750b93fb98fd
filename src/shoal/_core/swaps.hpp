// Swaps in a group of fixed size: what replacing a member by a candidate does to the work of one attribute.
//
// A group is a list of slots. reset() reads it; consider() looks at a candidate; change() then says, in O(1) for a
// chain, by how much the work would change if the candidate took a slot; best() finds the slot where it falls most.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "emd.hpp"
#include "records.hpp"

namespace shoal {

struct Swap {
  Wide change;
  std::int32_t slot;
};

class Swaps {
 public:
  virtual ~Swaps() = default;
  virtual void reset(std::span<const Row> members) = 0;
  virtual Wide work() const = 0;
  virtual void consider(std::int32_t code) = 0;
  virtual Wide change(std::int32_t slot) const = 0;
  // Smallest change, then lowest row; any slot where nothing falls.
  virtual Swap best() const = 0;

  static std::unique_ptr<Swaps> of(const Attribute& attribute, std::int64_t group);
};

// Ordered values. A candidate at v in the place of a member at u < v takes one record away from the positions u..v-1,
// counted from below; at u > v it adds one to the positions v..u-1. Between two group values the group's count is
// constant, so with `turn(c)`, the position where the table overtakes c of the group, every such sum is O(1), and sums
// from the left end tell all members apart: the best one on either side of v is a prefix maximum, a suffix minimum.
class ChainSwaps : public Swaps {
 public:
  ChainSwaps(const Attribute& attribute, std::int64_t group) : attribute_(attribute), group_(group) {
    for (std::int64_t records = 0; records <= group; ++records) {
      turns_.push_back(attribute.overtaken(records, group, 0, attribute.levels()));
    }
    order_.resize(group);
    value_of_slot_.resize(group);
  }

  void reset(std::span<const Row> members) override {
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
    code_ = code;
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

 private:
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
  std::int64_t group_;
  std::vector<std::int32_t> turns_;
  std::vector<std::int32_t> order_;
  std::vector<std::int32_t> value_of_slot_;
  std::vector<Value> values_;
  Wide work_ = 0;
  std::int32_t code_ = 0, left_ = -1, right_ = 0;  // the candidate, the last value left of it, the first right of it
  Wide down_ = 0, up_ = 0;
};

// Categories in a tree. The candidate adds a record to the nodes above it, a member leaves those above it, and above
// the node where the two meet nothing changes. O(height) a member.
class TreeSwaps : public Swaps {
 public:
  TreeSwaps(const Attribute& attribute, std::int64_t group)
      : attribute_(attribute),
        group_(group),
        counts_(attribute.node_count(), 0),
        added_(attribute.node_count(), 0),
        seen_(attribute.node_count(), 0) {}

  void reset(std::span<const Row> members) override {
    for (const std::int32_t code : codes_) climb(code, [&](std::int32_t node) { counts_[node] = 0; });
    members_.assign(members.begin(), members.end());
    codes_.clear();
    for (const Row row : members) codes_.push_back(attribute_.code(row));
    for (const std::int32_t code : codes_) climb(code, [&](std::int32_t node) { ++counts_[node]; });
    std::vector<std::int32_t> copy = codes_;  // judging may sort, and slots must keep their order
    work_ = attribute_.work(copy, scratch_);
  }

  Wide work() const override { return work_; }

  void consider(std::int32_t code) override {
    ++candidate_;
    Wide sum = 0;
    std::int32_t node = code;
    for (; attribute_.parent(node) >= 0; node = attribute_.parent(node)) {
      seen_[node] = candidate_;
      added_[node] = sum;
      sum += shift(node, +1);
    }
    seen_[node] = candidate_;
    added_[node] = sum;
  }

  Wide change(std::int32_t slot) const override {
    Wide sum = 0;
    std::int32_t node = codes_[slot];
    for (; seen_[node] != candidate_; node = attribute_.parent(node)) sum += shift(node, -1);
    return sum + added_[node];
  }

  Swap best() const override {
    Swap best{0, 0};
    Row row = std::numeric_limits<Row>::max();
    for (std::size_t slot = 0; slot < codes_.size(); ++slot) {
      const Wide found = change(static_cast<std::int32_t>(slot));
      if (found > best.change || (found == best.change && members_[slot] > row)) continue;
      best = {found, static_cast<std::int32_t>(slot)};
      row = members_[slot];
    }
    return best;
  }

 private:
  template <class Visit>
  void climb(std::int32_t code, Visit visit) const {
    for (std::int32_t node = code; attribute_.parent(node) >= 0; node = attribute_.parent(node)) visit(node);
  }

  Wide shift(std::int32_t node, int by) const {
    const Wide table = static_cast<Wide>(attribute_.count(node)) * group_;
    const auto mass = [&](std::int64_t records) { return absolute(static_cast<Wide>(records) * attribute_.size() - table); };
    return attribute_.climb(node) * (mass(counts_[node] + by) - mass(counts_[node]));
  }

  const Attribute& attribute_;
  std::int64_t group_;
  std::vector<std::int64_t> counts_;  // members below each node
  std::vector<Row> members_;
  std::vector<std::int32_t> codes_;
  Wide work_ = 0;
  std::vector<Wide> added_;           // what the candidate adds below each node above it
  std::vector<std::int64_t> seen_;    // the last candidate below each node
  std::int64_t candidate_ = 0;
  Scratch scratch_;
};

inline std::unique_ptr<Swaps> Swaps::of(const Attribute& attribute, std::int64_t group) {
  if (attribute.is_chain()) return std::make_unique<ChainSwaps>(attribute, group);
  return std::make_unique<TreeSwaps>(attribute, group);
}

}  // namespace shoal

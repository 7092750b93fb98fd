// Groups that change by a record at a time: whether they would still meet a constraint with one record less, one more,
// or one in the place of another.
//
// A group is its codes in ascending order. What a constraint has to know of it is added up once (sum_up), and asked
// many times (meets), since most changes that are looked at are not made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "close/constraint.hpp"

namespace shoal {

inline constexpr std::int32_t kNoCode = -1;

// Lifetime: keeps a reference to its constraint, which must outlive it.
class Standing {
 public:
  virtual ~Standing() = default;
  // What meets() wants to be told of a group.
  virtual Wide sum_up(std::span<const std::int32_t> codes) = 0;
  // Whether a group meets the constraint without one of its codes and with another one, either of which may be kNoCode.
  virtual bool meets(std::span<const std::int32_t> codes, Wide sum, std::int32_t without, std::int32_t with) = 0;

 protected:
  // The codes after the change, still in order.
  std::span<const std::int32_t> changed(std::span<const std::int32_t> codes, std::int32_t without, std::int32_t with) {
    changed_.resize(codes.size() + 1);
    std::int32_t* end = changed_.data();
    for (const std::int32_t code : codes) {
      if (with != kNoCode && with <= code) {
        *end++ = with;
        with = kNoCode;
      }
      *end = code;
      if (code == without) {
        without = kNoCode;
      } else {
        ++end;
      }
    }
    if (with != kNoCode) *end++ = with;
    return {changed_.data(), end};
  }

 private:
  std::vector<std::int32_t> changed_;
};

// Any constraint: the changed group is judged.
class JudgedStanding : public Standing {
 public:
  explicit JudgedStanding(const Constraint& constraint) : constraint_(constraint) {}

  Wide sum_up(std::span<const std::int32_t>) override { return 0; }

  bool meets(std::span<const std::int32_t> codes, Wide, std::int32_t without, std::int32_t with) override {
    histogram_.assign_sorted(changed(codes, without, with));
    return constraint_.judge(histogram_, scratch_).met;
  }

 private:
  const Constraint& constraint_;
  Histogram histogram_;
  Scratch scratch_;
};

// t-Closeness on ordered values. One value in the place of another changes the group's count between the two alone, by
// one, so the work is added up anew there and nowhere else. Where the table overtakes a count of the group is a
// question of the group's size and that count; it is answered once for each size.
class ChainStanding : public Standing {
 public:
  explicit ChainStanding(const Closeness& closeness) : closeness_(closeness), attribute_(closeness.attribute()) {}

  Wide sum_up(std::span<const std::int32_t> codes) override {
    const Size& size = of_size(codes.size());
    Wide sum = static_cast<Wide>(size.records) * attribute_.count_sum(codes.front());
    for (std::size_t i = 0; i < codes.size(); ++i) {
      sum += stretch(size, static_cast<std::int64_t>(i) + 1, codes[i],
                     i + 1 < codes.size() ? codes[i + 1] : attribute_.levels());
    }
    return sum;
  }

  bool meets(std::span<const std::int32_t> codes, Wide sum, std::int32_t without, std::int32_t with) override {
    if (without == with) return sum <= of_size(codes.size()).most;
    if (without != kNoCode && with != kNoCode) {
      const Size& size = of_size(codes.size());
      return sum + (without < with ? shift(size, codes, -1, without, with) : shift(size, codes, +1, with, without)) <=
             size.most;
    }
    const auto after = changed(codes, without, with);
    return sum_up(after) <= of_size(after.size()).most;
  }

 private:
  struct Size {
    std::int64_t records = 0;
    Wide most = 0;                    // work that is allowed
    std::vector<std::int32_t> turns;  // by the group's count, where the table overtakes it; empty for large groups
  };
  static constexpr std::size_t kTabled = 1024;

  const Size& of_size(std::size_t records) {
    if (records > kTabled) {
      if (large_.records != static_cast<std::int64_t>(records)) large_ = measured(records);
      return large_;
    }
    if (records >= sizes_.size()) sizes_.resize(records + 1);
    if (sizes_[records].turns.empty()) {
      sizes_[records] = measured(records);
      for (std::int64_t count = 0; count <= static_cast<std::int64_t>(records); ++count) {
        sizes_[records].turns.push_back(
            attribute_.overtaken(count, static_cast<std::int64_t>(records), 0, attribute_.levels()));
      }
    }
    return sizes_[records];
  }

  Size measured(std::size_t records) const {
    const auto group = static_cast<std::int64_t>(records);
    return {group, closeness_.most_work(group), {}};
  }

  // Work over the positions [from, to), where the group has `count` at or below each.
  Wide stretch(const Size& size, std::int64_t count, std::int32_t from, std::int32_t to) const {
    if (from == to) return 0;
    const std::int32_t turn =
        size.turns.empty() ? attribute_.overtaken(count, size.records, from, to) : size.turns[count];
    return attribute_.stretch(count, size.records, turn, from, to);
  }

  // Change of the work if the group had `by` more at every position in [from, to).
  Wide shift(const Size& size, std::span<const std::int32_t> codes, int by, std::int32_t from, std::int32_t to) const {
    auto i = static_cast<std::size_t>(std::upper_bound(codes.begin(), codes.end(), from) - codes.begin());
    Wide change = 0;
    while (from < to) {
      const std::int32_t next = i < codes.size() ? std::min(codes[i], to) : to;
      const auto count = static_cast<std::int64_t>(i);
      change += stretch(size, count + by, from, next) - stretch(size, count, from, next);
      from = next;
      ++i;
    }
    return change;
  }

  const Closeness& closeness_;
  const Attribute& attribute_;
  std::vector<Size> sizes_;
  Size large_;
};

inline std::unique_ptr<Standing> standing_of(const Constraint& constraint) {
  const auto* const closeness = dynamic_cast<const Closeness*>(&constraint);
  if (closeness != nullptr && closeness->attribute().is_chain()) return std::make_unique<ChainStanding>(*closeness);
  return std::make_unique<JudgedStanding>(constraint);
}

}  // namespace shoal

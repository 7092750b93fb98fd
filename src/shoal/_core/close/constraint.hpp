// What a group's confidential values must satisfy, and by how much they miss it.
//
// A shortfall is 1 where a constraint is just met and grows as the group gets worse. All constraints here are
// quasi-convex: a union of groups falls short by no more than the worse of its parts. That is why merging ends, and
// why it can put off looking at a merged group until nothing worse is left.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "close/emd.hpp"
#include "close/threshold.hpp"

namespace shoal {

struct Verdict {
  double shortfall;
  bool met;
};

// Lifetime: keeps a reference to its attribute. In Python the binding keeps the attribute alive (nb::keep_alive).
class Constraint {
 public:
  explicit Constraint(const Attribute& attribute) : attribute_(attribute) {}
  virtual ~Constraint() = default;

  const Attribute& attribute() const { return attribute_; }

  virtual Verdict judge(const Histogram& group, Scratch& scratch) const = 0;

  // Whether the shortfall of a union is at most the average of its parts, weighted by their sizes.
  virtual bool is_convex() const { return false; }

 private:
  const Attribute& attribute_;
};

// t-Closeness: the earth mover's distance to the table is at most t = numerator / denominator.
class Closeness : public Constraint {
 public:
  Closeness(const Attribute& attribute, std::int64_t numerator, std::int64_t denominator)
      : Constraint(attribute), threshold_{numerator, denominator}, t_(threshold_.rounded()) {}

  double t() const { return t_; }

  bool allows(Wide work, std::int64_t group) const { return allows(work, group, attribute().size()); }

  // The same for a group that is compared with `others` records instead of the table.
  bool allows(Wide work, std::int64_t group, std::int64_t others) const {
    return threshold_.allows(work, work_unit(group, others, attribute().scale()));
  }

  // The most work of a group that is allowed.
  Wide most_work(std::int64_t group) const {
    return threshold_.most(work_unit(group, attribute().size(), attribute().scale()));
  }

  double shortfall(double distance) const {
    if (t_ > 0.0) return distance / t_;
    return distance > 0.0 ? std::numeric_limits<double>::infinity() : 1.0;
  }

  Verdict judge(const Histogram& group, Scratch& scratch) const override {
    const Wide work = attribute().work(group, scratch);
    return {shortfall(attribute().distance(work, group.records())), allows(work, group.records())};
  }

  bool is_convex() const override { return true; }

 private:
  Threshold threshold_;
  double t_;
};

// Distinct l-diversity, which is also p-sensitivity: at least l different values.
class Distinct : public Constraint {
 public:
  Distinct(const Attribute& attribute, std::int64_t least) : Constraint(attribute), least_(least) {}

  Verdict judge(const Histogram& group, Scratch&) const override {
    const auto distinct = static_cast<std::int64_t>(group.entries().size());
    return {static_cast<double>(least_) / static_cast<double>(distinct), distinct >= least_};
  }

 private:
  std::int64_t least_;
};

// Entropy l-diversity: the entropy of the values is at least log l.
class Entropy : public Constraint {
 public:
  Entropy(const Attribute& attribute, double least) : Constraint(attribute), least_(least) {}

  // The exponential of the entropy is a number of values, those of equal share that would have it.
  Verdict judge(const Histogram& group, Scratch&) const override {
    double sum = 0.0;
    for (const auto& [code, count] : group.entries()) {
      const auto records = static_cast<double>(count);
      sum += records * std::log(records);
    }
    const auto size = static_cast<double>(group.records());
    const double entropy = std::max(std::log(size) - sum / size, 0.0);
    // l values of equal share have the entropy log l, and must pass whatever their logarithms round to.
    return {least_ / std::exp(entropy), entropy >= std::log(least_) * (1.0 - kSlack)};
  }

 private:
  static constexpr double kSlack = 1e-12;
  double least_;
};

// Recursive (c, l)-diversity: the most frequent value occurs less than c times as often as all but the l-1 most
// frequent ones together; c = numerator / denominator.
class Recursive : public Constraint {
 public:
  Recursive(const Attribute& attribute, std::int64_t numerator, std::int64_t denominator, std::int64_t least)
      : Constraint(attribute), numerator_(numerator), denominator_(denominator), least_(least) {}

  Verdict judge(const Histogram& group, Scratch&) const override {
    std::vector<std::int64_t> counts;
    for (const auto& [code, records] : group.entries()) counts.push_back(records);
    std::sort(counts.begin(), counts.end(), std::greater<>());
    std::int64_t tail = 0;
    for (std::size_t i = static_cast<std::size_t>(least_) - 1; i < counts.size(); ++i) tail += counts[i];
    const Wide most = static_cast<Wide>(counts.front()) * denominator_;
    const Wide allowed = static_cast<Wide>(tail) * numerator_;
    if (allowed == 0) return {std::numeric_limits<double>::infinity(), false};
    return {static_cast<double>(most) / static_cast<double>(allowed), most < allowed};
  }

 private:
  std::int64_t numerator_;
  std::int64_t denominator_;
  std::int64_t least_;
};

// Dominance: no contributor has more than a share of what the records of a group weigh together. Every record has a
// code of its own, and those of a contributor stand side by side, so that one walk along the codes adds up each.
class Dominance : public Constraint {
 public:
  // The weight of each code, at least 0, and whose it is.
  Dominance(const Attribute& attribute, std::span<const double> weights, std::span<const std::int32_t> contributors,
            double share)
      : Constraint(attribute),
        weights_(weights.begin(), weights.end()),
        contributors_(contributors.begin(), contributors.end()),
        share_(share) {}

  Verdict judge(const Histogram& group, Scratch&) const override {
    // In units of the heaviest record, so that neither huge nor tiny weights leave the range of numbers.
    double unit = 0.0;
    for (const auto& [code, records] : group.entries()) unit = std::max(unit, weights_[code]);
    if (unit == 0.0) return {0.0, true};  // nobody contributes: there is nothing to give away
    double total = 0.0, own = 0.0, most = 0.0;
    std::int32_t contributor = -1;
    for (const auto& [code, records] : group.entries()) {
      if (contributors_[code] != contributor) own = 0.0;
      contributor = contributors_[code];
      own += weights_[code] / unit;
      total += weights_[code] / unit;
      most = std::max(most, own);
    }
    const double found = most / total;
    return {found / share_, found <= share_ * (1.0 + kSlack)};
  }

 private:
  static constexpr double kSlack = 1e-9;  // a contributor that has just the share must pass however the sum rounds
  std::vector<double> weights_;
  std::vector<std::int32_t> contributors_;
  double share_;
};

}  // namespace shoal

// A shortest path: least[j] is the cheapest cut of the first j rows, and
//     least[j] = min over i of least[i] + cost(i, j),
// where the runs (i, j] that hold k subjects and can be in a cheapest cut are told by run_limits.hpp: k … 2k − 1 rows
// where every row is a subject of its own. cost(i, j), the SSE of rows i … j − 1 around their mean, comes from prefix
// sums:
//     cost(i, j) = (Q[j] − Q[i]) − Σ_c (S_c[j] − S_c[i])² / (j − i),    S = Σ x,  Q = Σ x².
// Q drops out of the comparison: with offer[j] = least[j] − Q[j],
//     offer[j] = min over i of offer[i] − Σ_c (S_c[j] − S_c[i])² / (j − i).
// Of equal costs the greatest i wins.
//
// Numbers. Differences of prefix sums cancel, so rows are taken in regions of a few runs. In a region, x is measured
// from one of its rows in units of its range, and `least` from the cheapest of the rows it continues: what the sums
// carry is as large as what they decide, whatever the offset of the data and however large the SSE so far. Sums are
// kept in 106 bits. Candidates are first compared in plain doubles; only those too close to call, by a bound on the
// rounding, are compared in 106 bits, and what even these cannot tell apart is a tie. So costs that are equal in
// exact arithmetic are equal here, and every search returns what exact arithmetic would.
//
// Search. One increasing column makes the cost concave Monge (the quadrangle inequality), and then the greatest best
// i never decreases with j. `divide` uses it to look at O(log w) candidates for each j instead of w, the starts of runs
// to j: positions that no run from j on reaches (the next k, where every row is a subject of its own) depend on
// positions before j only, so the middle one is settled first and bounds the others. A start that cannot be taken at j
// because too few subjects are left is later than all that can, so this changes nothing.
#include "group/cheapest_runs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "exact/double_double.hpp"

namespace shoal {
namespace {

// Lifetime: keeps references to what reads and to the limits, which must outlive it.
template <class Index>
class CheapestRuns {
 public:
  CheapestRuns(const ReadColumn& read, std::size_t width, const RunLimits<Index>& limits, Search search)
      : read_(read), n_(limits.rows()), width_(width), limits_(limits), search_(search) {
    if (limits_.is_one_run(n_)) return;
    const std::size_t k = limits_.k(), longest = limits_.longest();
    sizes_.resize(n_ + 1);
    shares_.resize(longest + 1 - k);
    exact_shares_.resize(longest + 1 - k);
    for (std::size_t size = k; size <= longest; ++size) {
      exact_shares_[share(size)] = reciprocal(static_cast<double>(size));
      shares_[share(size)] = exact_shares_[share(size)].hi;
    }
    sums_.resize(width_);
    exact_sums_.resize(width_);
    candidates_.resize(limits_.widest());
  }

  std::vector<std::size_t> ends(const std::function<void(std::size_t)>& tick) {
    if (limits_.is_one_run(n_)) return {n_};
    std::vector<Double2> least(limits_.first());  // nothing is cut before
    for (std::size_t j = limits_.first(); j <= n_;) {
      // Longer than the rows that are read again, so that reading them takes no more than twice the time.
      const std::size_t step =
          std::max({tuning::kRegion * limits_.k(), tuning::kRegionLeast, 2 * (j - limits_.earliest(j))});
      const std::size_t next = std::min(j + step, n_ + 1);
      enter(j, next, least);
      for (std::size_t begin = j; begin < next;) {
        const std::size_t end = limits_.independent(begin, next);
        settle(begin - origin_, end - origin_);
        tick(begin);
        begin = end;
      }
      if (next <= n_) least = leave();
      j = next;
    }
    std::vector<std::size_t> ends;
    for (std::size_t j = n_; j > 0; j -= sizes_[j]) ends.push_back(j);
    std::reverse(ends.begin(), ends.end());
    return ends;
  }

 private:
  // A region settles positions begin_ … end_ − 1 from those before them; positions count from row origin_.
  void enter(std::size_t begin, std::size_t end, std::vector<Double2>& least) {
    origin_ = begin - least.size();
    begin_ = least.size();
    end_ = end - origin_;
    choose_unit(least);
    double weight = 0.0;  // bounds every sum and every offer of the region
    for (std::size_t column = 0; column < width_; ++column) weight += accumulate(column);
    for (const Double2& cost : least) weight = std::max(weight, cost.hi);
    // A rounded sum errs by 2⁻⁵³ of itself and |ΔS| / m ≤ 1, so a candidate errs by fewer than 16 + 2·width such
    // parts of `weight`, and two are compared. In 106 bits a sum has one such error for each row.
    const auto parts = static_cast<double>(64 + 8 * width_);
    guard_ = std::ldexp(parts * weight, -53);
    tie_ = std::ldexp(parts * weight * static_cast<double>(end_), -105);
    all_tied_ = weight == 0.0;
    offers_.resize(end_);
    exact_offers_.resize(end_);
    add_squares(0, least, -1.0);
    for (std::size_t i = 0; i < begin_; ++i) {
      exact_offers_[i] = normalised(least[i]);
      offers_[i] = exact_offers_[i].hi;
    }
  }

  // `least` of the positions a run may still start from, counted from the cheapest of them.
  std::vector<Double2> leave() const {
    const std::size_t first = limits_.earliest(origin_ + end_) - origin_;
    std::vector<Double2> least(exact_offers_.begin() + static_cast<std::ptrdiff_t>(first), exact_offers_.end());
    add_squares(first, least, 1.0);
    const Double2 base = *std::min_element(least.begin(), least.end());
    for (Double2& cost : least) cost = normalised(cost - base);
    return least;
  }

  // Adds (or with sign −1 takes away) Q[first + i] − Q[first] to costs[i].
  void add_squares(std::size_t first, std::vector<Double2>& costs, double sign) const {
    Double2 squares;
    for (std::size_t i = 1; i < costs.size(); ++i) {
      for (const auto& sums : exact_sums_) squares = squares + square(sums[first + i] - sums[first + i - 1]);
      costs[i] = costs[i] + Double2{sign * squares.hi, sign * squares.lo};
    }
  }

  // Reads the region and chooses 2^unit_ so that no value is more than 1 from another and `least` is at most 1.
  void choose_unit(std::vector<Double2>& least) {
    const std::size_t rows = end_ - 1;
    values_.resize(width_ * rows);
    for (std::size_t column = 0; column < width_; ++column) {
      read_(column, origin_, std::span(values_).subspan(column * rows, rows));
    }
    double widest = range();
    quartered_ = std::isinf(widest) ? 2 : 0;  // beside such values, the bits that denormal ones lose are nothing
    if (quartered_ != 0) {
      for (double& x : values_) x *= 0.25;
      widest = range();
    }
    constexpr int none = std::numeric_limits<int>::min();
    int unit = none;
    int exponent = 0;
    if (widest > 0.0) {
      std::frexp(widest, &exponent);
      unit = exponent + quartered_;
    }
    double dearest = 0.0;
    for (const Double2& cost : least) dearest = std::max(dearest, cost.hi);
    if (dearest > 0.0) {
      std::frexp(dearest, &exponent);
      unit = std::max(unit, unit_ + (exponent + 1) / 2);
    }
    if (unit == none || unit == unit_) return;
    const int change = 2 * (unit_ - unit);
    for (Double2& cost : least) cost = {std::ldexp(cost.hi, change), std::ldexp(cost.lo, change)};
    unit_ = unit;
  }

  double range() const {
    const auto rows = static_cast<std::ptrdiff_t>(end_ - 1);
    double widest = 0.0;
    for (auto x = values_.begin(); x != values_.end(); x += rows) {
      const auto [low, high] = std::minmax_element(x, x + rows);
      widest = std::max(widest, *high - *low);
    }
    return widest;
  }

  // The prefix sums of one column; the largest of them and the sum of its squares, whichever is greater.
  double accumulate(std::size_t column) {
    const std::size_t rows = end_ - 1;
    const double* x = values_.data() + column * rows;
    const double reference = x[rows / 2];
    const int exponent = quartered_ - unit_;  // in two steps, as 2^exponent may be beyond the largest double
    const double scale = std::ldexp(1.0, exponent / 2);
    const double rest = std::ldexp(1.0, exponent - exponent / 2);
    auto& exact = exact_sums_[column];
    auto& rounded = sums_[column];
    exact.resize(end_);
    rounded.resize(end_);
    exact[0] = {};
    rounded[0] = 0.0;
    Double2 sum;
    double largest = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
      const Double2 value = two_sum(x[i], -reference);
      const Double2 scaled{value.hi * scale * rest, value.lo * scale * rest};
      sum = sum + scaled;
      exact[i + 1] = normalised(sum);
      rounded[i + 1] = exact[i + 1].hi;
      largest = std::max(largest, std::abs(rounded[i + 1]));
      squares += scaled.hi * scaled.hi;
    }
    return std::max(largest, squares);
  }

  // Settles positions begin … end − 1, which depend on positions before begin only.
  void settle(std::size_t begin, std::size_t end) {
    if (search_ == Search::divide) {
      const std::size_t count = end - begin;
      for (std::size_t step = std::bit_floor(count); step > 0; step /= 2) {
        for (std::size_t t = step; t <= count; t += 2 * step) {
          const std::size_t j = begin + t - 1;
          settle_one(j, t > step ? best(j - step) : 0, t + step <= count ? best(j + step) : j);
        }
      }
    } else {
      for (std::size_t j = begin; j < end; ++j) {
        settle_one(j, search_ == Search::scan && j > begin ? best(j - 1) : 0, j);
      }
    }
  }

  std::size_t best(std::size_t j) const { return j - sizes_[origin_ + j]; }

  // Settles position j, whose best i is known to be from low to high.
  void settle_one(std::size_t j, std::size_t low, std::size_t high) {
    std::size_t i = 0;
    const std::size_t row = origin_ + j;
    if (!limits_.is_one_run(row)) {  // then no run starts between row 0 and the first end of one
      low = std::max(low, std::max(limits_.earliest(row), limits_.first()) - origin_);
      high = std::min(high, limits_.latest(row) - origin_);
      i = low == high || all_tied_ ? high : cheapest(j, low, high);
    }
    sizes_[row] = static_cast<Index>(j - i);
    exact_offers_[j] = normalised(exact_offer(i, j));
    offers_[j] = exact_offers_[j].hi;
  }

  Double2 exact_offer(std::size_t i, std::size_t j) const {
    Double2 between;
    for (const auto& sums : exact_sums_) between = between + square(sums[j] - sums[i]);
    return exact_offers_[i] - between * exact_shares_[share(j - i)];
  }

  std::size_t cheapest(std::size_t j, std::size_t low, std::size_t high) {
    const std::size_t count = high - low + 1;
    double* candidates = candidates_.data();
    for (std::size_t column = 0; column < width_; ++column) {
      const double* sums = sums_[column].data() + low;
      const double sum = sums_[column][j];
      for (std::size_t t = 0; t < count; ++t) {
        const double difference = sum - sums[t];
        candidates[t] = (column == 0 ? 0.0 : candidates[t]) + difference * difference;
      }
    }
    const double* offers = offers_.data() + low;
    const double* shares = shares_.data() + share(j - low);
    double best = std::numeric_limits<double>::infinity();
    double second = best;
    std::size_t winner = 0;
    for (std::size_t t = 0; t < count; ++t) {
      const double candidate = offers[t] - candidates[t] * shares[t];
      candidates[t] = candidate;
      winner = candidate < best ? t : winner;
      second = std::min(second, std::max(best, candidate));
      best = std::min(best, candidate);
    }
    return second - best > guard_ ? low + winner : cheapest_exactly(j, low, high, best + guard_);
  }

  // The same in 106 bits, among the candidates within the limit.
  std::size_t cheapest_exactly(std::size_t j, std::size_t low, std::size_t high, double limit) const {
    std::size_t winner = high;
    Double2 best{std::numeric_limits<double>::max(), 0.0};
    for (std::size_t i = high + 1; i-- > low;) {
      if (candidates_[i - low] > limit) continue;
      const Double2 offer = exact_offer(i, j);
      if ((offer - best).rounded() >= -tie_) continue;
      best = offer;
      winner = i;
    }
    return winner;
  }

  // Where 1 / size stands: backwards, as a later start makes a shorter run.
  std::size_t share(std::size_t size) const { return limits_.longest() - size; }

  const ReadColumn& read_;
  const std::size_t n_;
  const std::size_t width_;
  const RunLimits<Index>& limits_;
  const Search search_;
  std::vector<Index> sizes_;  // by row: the last run of the cheapest cut that ends there
  std::vector<double> shares_;
  std::vector<Double2> exact_shares_;

  // The region, by position.
  std::size_t origin_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  int unit_ = 0;
  int quartered_ = 0;
  double guard_ = 0.0;
  double tie_ = 0.0;
  bool all_tied_ = false;
  std::vector<double> values_;
  std::vector<std::vector<double>> sums_;  // S, rounded
  std::vector<std::vector<Double2>> exact_sums_;
  std::vector<double> offers_;
  std::vector<Double2> exact_offers_;
  std::vector<double> candidates_;
};

}  // namespace

template <class Index>
std::vector<std::size_t> cheapest_runs(const ReadColumn& read, std::size_t width, const RunLimits<Index>& limits,
                                       Search search, const std::function<void(std::size_t)>& tick) {
  return CheapestRuns<Index>(read, width, limits, search).ends(tick);
}

template std::vector<std::size_t> cheapest_runs(const ReadColumn&, std::size_t, const RunLimits<std::uint32_t>&, Search,
                                                const std::function<void(std::size_t)>&);
template std::vector<std::size_t> cheapest_runs(const ReadColumn&, std::size_t, const RunLimits<std::uint64_t>&, Search,
                                                const std::function<void(std::size_t)>&);

}  // namespace shoal

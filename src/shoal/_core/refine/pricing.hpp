// Pricing: the sets of `size` records that cost less than the prices of their records add up to.
//
// Every record i has a price u_i (a dual value). The reduced cost of a set T is F(T) − u(T), with F of bound_cost.hpp.
// The sets below a threshold are enumerated by branch and bound, and nothing else is: what is left out is proven to
// be above.
//
// Anchors. Records stand in an order, greatest price first, and a set belongs to the first of its records, its anchor. So
// every set is met once. An outlier has a great price, for whoever shares a group with it must bring it along: as an anchor
// it has few partners worth a look, as a candidate of all others it would spoil their bounds.
//
// Bounds. Let S be the records chosen so far and r how many are missing. With w_j = Σ_{s∈S} pair(s, j) − size·u_j and
// h_j(r) half the sum of the r − 1 least pairs of j,
//
//   size·(reduced cost) ≥ Σ_{pairs of S} pair − size·u(S) + the r least of w_j + h_j(r)
//
// since every pair of the missing records is counted by halves at both ends. At the anchor h comes from all records,
// which makes the candidates a search for nearest records with shifts (bound_search.hpp); among the candidates it is
// computed again, and those that are out are struck off until none is.
//
// A candidate j far from the anchor i is far from the others too. pair is a squared distance, so for any s ≥ 0
//
//   pair(i, l) + pair(j, l) ≥ (1 − s) pair(i, l) + s / (1 + s) pair(i, j)
//
// and with j chosen beside i, the other size − 2 add no less than the least of (1 − s) pair(i, l) − size·u_l + h_l(size − 2).
// At s = 0 that is the bound above; at s = 1 the weight of pair(i, j) has grown to size / 2, and most candidates are out.
//
// Rounding. Sums of the least terms are sums of no more than the terms of any set that is left out; each is off by at most
// some size²·(attributes) units in the last place of the prices and costs of that set, and the caller takes that off the
// prices in the end (docs/refine-bound.md).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "refine/bound_cost.hpp"
#include "refine/bound_search.hpp"
#include "search/neighbours.hpp"
#include "search/records.hpp"

namespace shoal {

struct PricingTask {
  std::int64_t size;   // records in a set, at least 2
  double threshold;    // reduced costs from here on do not matter
  std::size_t keep;    // sets wanted of each anchor, those of least reduced cost
  std::size_t width;   // candidates looked at for each anchor, at most
  std::int64_t nodes;  // choices tried for each anchor, at most
};

// Of each record, half the sum of its least pairs with others: as many as it has in a set beside the anchor, and one less.
struct Halves {
  std::vector<double> all, but_one;
};

struct PricedSet {
  double reduced;
  double cost;
  std::vector<Row> rows;  // in increasing order
};

// The sets of one anchor after the other; one object for each thread.
class AnchorPricing {
 public:
  AnchorPricing(const BoundCost& cost, const PricingTask& task, std::span<const double> prices,
                const Halves& halves, std::span<const Row> order)
      : cost_(cost), task_(task), prices_(prices), halves_(halves), after_(order), levels_(task.size) {}

  // Finds the sets of an anchor: afterwards `found` has the best ones. Returns a lower bound of the reduced costs of all
  // of its sets: the least one or the threshold where the search was completed.
  double price(Row anchor, const BoundSearch& search, Place& place);

  std::vector<PricedSet> found;

 private:
  struct Candidate {
    double key;  // w + h
    double w;    // pairs with those chosen − size·price
    Row row;
    Row at;  // where it stands in the matrix of pairs
  };

  double limit() const { return static_cast<double>(task_.size) * threshold_; }
  bool gather(Row anchor, const BoundSearch& search, Place& place);
  bool strike_out_far(double base);
  bool strike_out_by_trial(double base);
  bool strike_out(std::vector<Candidate>& candidates, double base, std::int64_t missing) const;
  void measure_pairs();
  void measure_halves(const std::vector<Candidate>& candidates);
  double least_sum(std::vector<Candidate>& candidates, double base, std::int64_t missing) const;
  void choose(std::int64_t missing, double base, std::size_t depth);
  void take(double base);

  const BoundCost& cost_;
  const PricingTask& task_;
  std::span<const double> prices_;
  const Halves& halves_;
  NearestAfter after_;

  double threshold_ = 0.0;
  bool complete_ = true;
  std::int64_t tried_ = 0;
  std::vector<std::vector<Candidate>> levels_;
  std::vector<Row> chosen_;           // rows, the anchor first
  std::vector<Row> rows_;             // of the matrix
  std::vector<double> pairs_, row_;   // matrix of pairs, a row of it
  std::vector<double> local_halves_;  // of each candidate for r = 1 .. size − 1
};

}  // namespace shoal

// Prices of records over a pool of sets: as high as the sets allow, by smoothed coordinate ascent.
//
// Wanted are prices u with u(T) ≤ cost(T) for the sets of the pool and u_i ≤ cap_i, as great in sum as can be: the dual of
// covering every record once by shares of the sets. Smoothed, a set has the share y_T = exp((u(T) − cost(T)) / ε_T) and
// the objective Σ u_i − Σ ε_T y_T (the caps are sets of one record). It is concave and smooth, so raising or lowering one
// price after the other until the shares of the sets of its record add up to 1 reaches the greatest value, and since no
// share exceeds 1 there, no set of the pool is priced beyond its cost. A smaller ε gives greater prices, later.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bindings.hpp"
#include "progress.hpp"
#include "search/records.hpp"

namespace shoal {
namespace {

constexpr double kNegligible = -36.0;  // a share below e^−36 of the greatest one of a record changes nothing
constexpr double kSettled = 0.3;       // log of the sum of shares from which one step will do

class Pool {
 public:
  Pool(std::span<const Row> sets, std::span<const double> costs, std::span<const double> scales,
       std::span<const double> caps, double smoothing, std::vector<double>& prices)
      : sets_(sets), scales_(scales), caps_(caps), smoothing_(smoothing), prices_(prices), begin_(prices.size() + 1, 0) {
    const std::size_t size = costs.empty() ? 1 : sets.size() / costs.size();
    for (const Row row : sets) ++begin_[static_cast<std::size_t>(row) + 1];
    for (std::size_t i = 0; i < prices.size(); ++i) begin_[i + 1] += begin_[i];
    members_.resize(sets.size());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t cell = 0; cell < sets.size(); ++cell) {
      members_[next[static_cast<std::size_t>(sets[cell])]++] = static_cast<std::uint32_t>(cell / size);
    }
    for (std::size_t set = 0; set < costs.size(); ++set) {
      double price = 0.0, scale = 0.0;
      for (std::size_t cell = set * size; cell < (set + 1) * size; ++cell) {
        price += prices[static_cast<std::size_t>(sets[cell])];
        scale += scales[static_cast<std::size_t>(sets[cell])];
      }
      terms_.push_back({price - costs[set], static_cast<double>(size) / (smoothing * scale)});
    }
  }

  void settle(std::size_t record) {
    for (int step = 0; step < 3; ++step) {
      const double own = 1.0 / (smoothing_ * scales_[record]);
      const double cap = (prices_[record] - caps_[record]) * own;
      double greatest = cap;
      for (std::size_t i = begin_[record]; i < begin_[record + 1]; ++i) {
        const Term& term = terms_[members_[i]];
        greatest = std::max(greatest, term.excess * term.inverse);
      }
      double shares = std::exp(cap - greatest), slope = shares * own;
      for (std::size_t i = begin_[record]; i < begin_[record + 1]; ++i) {
        const Term& term = terms_[members_[i]];
        const double exponent = term.excess * term.inverse - greatest;
        if (exponent < kNegligible) continue;
        const double share = std::exp(exponent);
        shares += share;
        slope += share * term.inverse;
      }
      // Newton's step for the logarithm of the sum of shares, which is convex and nearly straight.
      const double excess = greatest + std::log(shares);
      const double change = -excess * shares / slope;
      prices_[record] += change;
      for (std::size_t i = begin_[record]; i < begin_[record + 1]; ++i) terms_[members_[i]].excess += change;
      if (std::abs(excess) < kSettled) return;
    }
  }

 private:
  struct Term {
    double excess;   // u(T) − cost(T)
    double inverse;  // 1 / ε_T
  };

  std::span<const Row> sets_;
  std::span<const double> scales_, caps_;
  double smoothing_;
  std::vector<double>& prices_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> members_;
  std::vector<Term> terms_;
};

OutVector<double> run_raise_prices(Vector<Row> sets, Vector<double> costs, Vector<double> scales, Vector<double> caps,
                                   Vector<double> prices, double smoothing, std::int64_t sweeps, nb::object callback) {
  std::vector<double> raised(prices.data(), prices.data() + prices.shape(0));
  const std::size_t n = raised.size();
  Progress progress(std::move(callback), sweeps * static_cast<std::int64_t>(n));
  {
    nb::gil_scoped_release release;
    Pool pool(as_span(sets), as_span(costs), as_span(scales), as_span(caps), smoothing, raised);
    for (std::int64_t sweep = 0; sweep < sweeps; ++sweep) {
      for (std::size_t i = 0; i < n; ++i) {
        pool.settle(sweep % 2 == 0 ? i : n - 1 - i);  // to and fro
        progress.tick(sweep * static_cast<std::int64_t>(n) + static_cast<std::int64_t>(i));
      }
    }
    progress.finish();
  }
  return to_numpy(std::move(raised));
}

}  // namespace

void bind_bound_ascent(nb::module_& module) {
  module.def("raise_prices", &run_raise_prices, nb::arg("sets"), nb::arg("costs"), nb::arg("scales"), nb::arg("caps"),
             nb::arg("prices"), nb::arg("smoothing"), nb::arg("sweeps"), nb::arg("progress").none());
}

}  // namespace shoal

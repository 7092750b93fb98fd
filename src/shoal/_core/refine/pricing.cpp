#include "refine/pricing.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "bindings.hpp"
#include "parallel.hpp"
#include "progress.hpp"
#include "search/record_arrays.hpp"

namespace shoal {

namespace {

constexpr std::size_t kGathered = 20'000;  // candidates looked at before most of them are struck off as too far

constexpr auto by_key = [](const auto& a, const auto& b) { return a.key != b.key ? a.key < b.key : a.row < b.row; };
constexpr auto by_reduced = [](const PricedSet& a, const PricedSet& b) {
  return a.reduced != b.reduced ? a.reduced < b.reduced : a.rows < b.rows;
};

}  // namespace

double AnchorPricing::price(Row anchor, const BoundSearch& search, Place& place) {
  threshold_ = task_.threshold;
  complete_ = true;
  tried_ = 0;
  found.clear();
  const std::int64_t missing = task_.size - 1;
  const double base = -static_cast<double>(task_.size) * prices_[anchor];
  auto& candidates = levels_[0];
  if (!gather(anchor, search, place)) return task_.threshold;
  double least = least_sum(candidates, base, missing) / static_cast<double>(task_.size);
  if (task_.size > 3 && !strike_out_far(base)) return task_.threshold;
  if (candidates.size() > task_.width) {
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(task_.width),
                     candidates.end(), by_key);
    candidates.resize(task_.width);
    complete_ = false;
    if (static_cast<std::int64_t>(candidates.size()) < missing) return least;
  }
  if (task_.size > 3 && !strike_out_by_trial(base)) return complete_ ? task_.threshold : least;
  measure_pairs();
  for (std::size_t before = candidates.size() + 1; candidates.size() < before;) {
    before = candidates.size();
    measure_halves(candidates);
    if (!strike_out(candidates, base, missing)) return complete_ ? task_.threshold : least;
  }
  if (complete_) least = least_sum(candidates, base, missing) / static_cast<double>(task_.size);
  std::sort(candidates.begin(), candidates.end(), by_key);
  chosen_.assign(1, anchor);
  choose(missing, base, 0);
  if (!complete_) return std::min(least, task_.threshold);
  if (found.empty()) return task_.threshold;
  return std::min_element(found.begin(), found.end(), by_reduced)->reduced;
}

// Collects the candidates of an anchor; false if it has no set below the threshold.
bool AnchorPricing::gather(Row anchor, const BoundSearch& search, Place& place) {
  const auto missing = static_cast<std::size_t>(task_.size - 1);
  const double size = static_cast<double>(task_.size);
  after_.reset(missing, anchor);
  search.near(anchor, place, after_);
  const auto& nearest = after_.sorted();
  if (nearest.size() < missing) return false;
  // Here all is rough; whoever is in doubt is measured exactly below.
  double room = limit() + size * prices_[anchor] - static_cast<double>(missing) * search.base();
  for (std::size_t i = 0; i + 1 < missing; ++i) room -= nearest[i].distance;
  const double farthest = nearest.back().distance;
  room += size * search.slack(farthest + size * std::abs(prices_[anchor]));
  if (farthest > room) return false;
  after_.reset(std::max(task_.width, kGathered) + 1, anchor, room);
  search.near(anchor, place, after_);
  auto& candidates = levels_[0];
  candidates.clear();
  for (const Neighbour& neighbour : after_.sorted()) {
    const double w = cost_.pair(anchor, neighbour.row) - size * prices_[neighbour.row];
    candidates.push_back({w + halves_.all[neighbour.row], w, neighbour.row, 0});
  }
  return strike_out(candidates, -size * prices_[anchor], task_.size - 1);
}

// Drops candidates too far from the anchor for a set below the threshold; false if there is no such set.
bool AnchorPricing::strike_out_far(double base) {
  const double size = static_cast<double>(task_.size);
  const auto others = static_cast<std::size_t>(task_.size - 2);
  auto& candidates = levels_[0];
  for (const double s : {1.0, 0.5}) {
    row_.clear();
    for (const Candidate& candidate : candidates) {
      const double price = size * prices_[candidate.row];
      row_.push_back((1.0 - s) * (candidate.w + price) - price + halves_.but_one[candidate.row]);
    }
    const auto end = row_.begin() + static_cast<std::ptrdiff_t>(others);
    std::nth_element(row_.begin(), end - 1, row_.end());
    const double rest = std::accumulate(row_.begin(), end, base);
    const double weight = static_cast<double>(others) * s / (1.0 + s);
    std::erase_if(candidates, [&](const Candidate& candidate) {
      return rest + candidate.w + weight * (candidate.w + size * prices_[candidate.row]) >= limit();
    });
    if (candidates.size() <= others) return false;
  }
  return true;
}

// Chooses every candidate for a moment, beside the anchor, and drops those that lead to no set below the threshold; false if
// there is no such set.
bool AnchorPricing::strike_out_by_trial(double base) {
  const auto others = static_cast<std::size_t>(task_.size - 2);
  auto& candidates = levels_[0];
  std::sort(candidates.begin(), candidates.end(), by_key);
  for (std::size_t before = 2 * candidates.size() + 1; 2 * candidates.size() < before;) {
    before = candidates.size();
    for (std::size_t i = candidates.size(); i-- > 0;) {  // the least likely first: those that are left have fewer partners
      row_.assign(others, std::numeric_limits<double>::infinity());
      for (const Candidate& other : candidates) {
        if (other.row == candidates[i].row) continue;
        const double rough = other.w + halves_.but_one[other.row];
        if (rough >= row_.back()) continue;
        const double key = rough + cost_.pair(candidates[i].row, other.row);
        if (key >= row_.back()) continue;
        auto hole = row_.end() - 1;
        for (; hole != row_.begin() && *(hole - 1) > key; --hole) *hole = *(hole - 1);
        *hole = key;
      }
      if (std::accumulate(row_.begin(), row_.end(), base + candidates[i].w) < limit()) continue;
      candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(i));
      if (candidates.size() <= others) return false;
    }
  }
  return true;
}

// Puts the `missing` least candidates in front and adds them to `base`, least first.
double AnchorPricing::least_sum(std::vector<Candidate>& candidates, double base, std::int64_t missing) const {
  const auto end = candidates.begin() + missing;
  if (end < candidates.end()) std::nth_element(candidates.begin(), end - 1, candidates.end(), by_key);
  std::sort(candidates.begin(), end, by_key);
  for (auto candidate = candidates.begin(); candidate < end; ++candidate) base += candidate->key;
  return base;
}

// Drops candidates that are in no set below the threshold; false if there is no such set.
bool AnchorPricing::strike_out(std::vector<Candidate>& candidates, double base, std::int64_t missing) const {
  if (static_cast<std::int64_t>(candidates.size()) < missing) return false;
  if (least_sum(candidates, base, missing) >= limit()) return false;
  for (std::int64_t i = 0; i + 1 < missing; ++i) base += candidates[i].key;
  std::size_t kept = static_cast<std::size_t>(missing);
  for (std::size_t i = kept; i < candidates.size(); ++i) {
    if (base + candidates[i].key < limit()) candidates[kept++] = candidates[i];
  }
  candidates.resize(kept);
  return true;
}

void AnchorPricing::measure_pairs() {
  auto& candidates = levels_[0];
  const std::size_t count = candidates.size();
  rows_.resize(count);
  pairs_.resize(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    rows_[a] = candidates[a].row;
    candidates[a].at = static_cast<Row>(a);
    pairs_[a * count + a] = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < a; ++b) {
      pairs_[a * count + b] = pairs_[b * count + a] = cost_.pair(rows_[a], rows_[b]);
    }
  }
}

// Half the sums of the least pairs among the candidates, and the keys of the first level anew.
void AnchorPricing::measure_halves(const std::vector<Candidate>& candidates) {
  const auto size = static_cast<std::size_t>(task_.size);
  const std::size_t stride = rows_.size();
  const std::size_t partners = std::min(candidates.size() - 1, size - 2);
  local_halves_.resize(stride * size);
  for (auto& candidate : levels_[0]) {
    const auto at = static_cast<std::size_t>(candidate.at);
    row_.clear();
    for (const Candidate& other : candidates) row_.push_back(pairs_[at * stride + static_cast<std::size_t>(other.at)]);
    const auto end = row_.begin() + static_cast<std::ptrdiff_t>(partners);
    if (partners > 0) {
      std::nth_element(row_.begin(), end - 1, row_.end());
      std::sort(row_.begin(), end);
    }
    double sum = 0.0;
    for (std::size_t r = 1; r < size; ++r) {
      local_halves_[at * size + r] = sum / 2.0;
      if (r - 1 < partners) sum += row_[r - 1];
    }
    candidate.key = candidate.w + local_halves_[at * size + size - 1];
  }
}

// Tries every set of `missing` candidates of a level, which are sorted by their keys.
void AnchorPricing::choose(std::int64_t missing, double base, std::size_t depth) {
  const auto size = static_cast<std::size_t>(task_.size);
  const auto& candidates = levels_[depth];
  if (missing == 1) {
    for (const Candidate& candidate : candidates) {
      if (base + candidate.w >= limit()) return;
      chosen_.push_back(candidate.row);
      take(base + candidate.w);
      chosen_.pop_back();
    }
    return;
  }
  const std::size_t stride = rows_.size();
  for (std::size_t i = 0; i + static_cast<std::size_t>(missing) <= candidates.size(); ++i) {
    double least = base;
    for (std::int64_t j = 0; j < missing; ++j) least += candidates[i + static_cast<std::size_t>(j)].key;
    if (least >= limit()) return;
    if (++tried_ > task_.nodes) {
      complete_ = false;
      return;
    }
    const double* pairs = pairs_.data() + static_cast<std::size_t>(candidates[i].at) * stride;
    auto& rest = levels_[depth + 1];
    rest.clear();
    for (std::size_t j = i + 1; j < candidates.size(); ++j) {
      const Candidate& other = candidates[j];
      const double w = other.w + pairs[other.at];
      const double half = local_halves_[static_cast<std::size_t>(other.at) * size + static_cast<std::size_t>(missing) - 1];
      rest.push_back({w + half, w, other.row, other.at});
    }
    const double next = base + candidates[i].w;
    if (!strike_out(rest, next, missing - 1)) continue;
    std::sort(rest.begin(), rest.end(), by_key);
    chosen_.push_back(candidates[i].row);
    choose(missing - 1, next, depth + 1);
    chosen_.pop_back();
    if (!complete_ && tried_ > task_.nodes) return;
  }
}

// Keeps the chosen set if it is among the best; `base` is size·(reduced cost) as the pairs have it.
void AnchorPricing::take(double base) {
  const double size = static_cast<double>(task_.size);
  double price = 0.0;
  for (const Row row : chosen_) price += prices_[row];
  PricedSet set{0.0, cost_.of(chosen_, base + size * price), chosen_};
  set.reduced = set.cost - price;
  if (set.reduced >= threshold_) return;
  std::sort(set.rows.begin(), set.rows.end());
  found.push_back(std::move(set));
  std::push_heap(found.begin(), found.end(), by_reduced);
  if (found.size() <= task_.keep) return;
  std::pop_heap(found.begin(), found.end(), by_reduced);
  found.pop_back();
  threshold_ = std::min(threshold_, found.front().reduced);
}

namespace {

constexpr std::int64_t kAnchorsAtOnce = 64;  // anchors between two looks at the clock
constexpr double kPriceRange = 16.0;         // a tree serves anchors whose prices differ by no more: shifts stay comparable

struct Priced {
  std::vector<Row> sets;
  std::vector<double> costs;
  std::vector<double> least;
};

Priced price(const Records& records, const BoundCost& cost, const PricingTask& task, std::span<const double> prices,
             const Halves& halves, Progress& progress) {
  const std::int64_t n = records.size;
  std::vector<Row> by_price(n), order(n);
  std::iota(by_price.begin(), by_price.end(), Row{0});
  std::sort(by_price.begin(), by_price.end(),
            [&](Row a, Row b) { return prices[a] != prices[b] ? prices[a] > prices[b] : a < b; });
  for (std::int64_t i = 0; i < n; ++i) order[by_price[i]] = static_cast<Row>(i);
  std::vector<double> shifts(n);
  for (std::int64_t i = 0; i < n; ++i) shifts[i] = halves.all[i] - static_cast<double>(task.size) * prices[i];

  Priced priced{{}, {}, std::vector<double>(n, task.threshold)};
  const std::size_t workers = workers_for(static_cast<std::size_t>(n), kAnchorsAtOnce);
  std::vector<AnchorPricing> pricings(workers, AnchorPricing(cost, task, prices, halves, order));
  std::vector<Place> places(workers);
  std::vector<std::vector<PricedSet>> found(kAnchorsAtOnce);
  std::unique_ptr<BoundSearch> search;
  double top = 0.0;           // greatest price in the tree
  std::int64_t smallest = 0;  // fewer records than these are worth a new tree
  for (std::int64_t first = 0; first + task.size <= n; first += kAnchorsAtOnce) {
    const double greatest = prices[by_price[first]];
    if (search == nullptr || n - first < smallest || greatest * kPriceRange < top) {
      search = std::make_unique<BoundSearch>(records, cost, shifts,
                                             std::vector<Row>(by_price.begin() + first, by_price.end()));
      std::fill(places.begin(), places.end(), search->place());
      top = greatest;
      smallest = (n - first) / 2;
    }
    const std::int64_t last = std::min(first + kAnchorsAtOnce, n);
    std::atomic<std::int64_t> next{first};
    in_parallel(workers, [&](std::size_t worker) {
      for (std::int64_t i = next++; i < last; i = next++) {
        const Row anchor = by_price[i];
        priced.least[anchor] = pricings[worker].price(anchor, *search, places[worker]);
        found[i - first].swap(pricings[worker].found);
      }
    });
    for (auto& sets : found) {
      std::sort(sets.begin(), sets.end(), by_reduced);
      for (const PricedSet& set : sets) {
        priced.sets.insert(priced.sets.end(), set.rows.begin(), set.rows.end());
        priced.costs.push_back(set.cost);
      }
      sets.clear();
    }
    progress.tick(last);
  }
  progress.finish();
  return priced;
}

// The sets of one size of some records, for any prices.
class Pricing {
 public:
  // `nearest` has the size − 1 least pairs of each record, least first.
  Pricing(const RecordArrays& arrays, std::int64_t size, Vector<double> nearest)
      : arrays_(arrays), records_(arrays_.view()), size_(size), cost_(records_, size) {
    for (std::int64_t i = 0; i < records_.size; ++i) {
      const double* pairs = nearest.data() + i * (size - 1);
      halves_.but_one.push_back(std::accumulate(pairs, pairs + std::max<std::int64_t>(size - 3, 0), 0.0) / 2.0);
      halves_.all.push_back(std::accumulate(pairs, pairs + size - 2, 0.0) / 2.0);
    }
  }

  nb::tuple price(Vector<double> prices, double threshold, std::int64_t keep, std::int64_t width, std::int64_t nodes,
                  nb::object callback) const {
    const PricingTask task{size_, threshold, static_cast<std::size_t>(keep), static_cast<std::size_t>(width), nodes};
    Progress progress(std::move(callback), records_.size);
    Priced priced;
    {
      nb::gil_scoped_release release;
      priced = shoal::price(records_, cost_, task, as_span(prices), halves_, progress);
    }
    return nb::make_tuple(to_numpy(std::move(priced.sets)), to_numpy(std::move(priced.costs)),
                          to_numpy(std::move(priced.least)));
  }

 private:
  RecordArrays arrays_;
  Records records_;
  std::int64_t size_;
  BoundCost cost_;
  Halves halves_;
};

}  // namespace

void bind_pricing(nb::module_& module) {
  nb::class_<Pricing>(module, "Pricing", "Sets of records that cost less than the prices of their records.")
      .def(nb::init<const RecordArrays&, std::int64_t, Vector<double>>(), nb::arg("records"), nb::arg("size"),
           nb::arg("nearest"))
      .def("price", &Pricing::price, nb::arg("prices"), nb::arg("threshold"), nb::arg("keep"), nb::arg("width"),
           nb::arg("nodes"), nb::arg("progress").none());
}

}  // namespace shoal

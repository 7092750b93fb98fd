// The k nearest found so far, ordered by distance, then row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "search/tie_order.hpp"

namespace shoal {

// What a search offers near records to. A record farther than the bound need not be offered; one exactly as far may
// still win by its row.
class NearCollector {
 public:
  double bound() const { return bound_; }
  virtual void offer(double distance, Row row) = 0;

  // The row that one exactly at the bound must be below.
  virtual Row last() const = 0;

 protected:
  ~NearCollector() = default;

  double bound_ = -1.0;
};

class Nearest final : public NearCollector {
 public:
  // `next`, where given, chains rows of equal records (duplicates.hpp): whoever offers a row offers its chain. The
  // array must outlive the collector.
  explicit Nearest(std::size_t capacity = 0, Row except = -1, const Row* next = nullptr) : next_(next) {
    reset(capacity, except);
  }

  // Starts anew, to keep `capacity` records other than row `except`.
  void reset(std::size_t capacity, Row except = -1) {
    capacity_ = capacity;
    except_ = except;
    heap_.clear();
    bound_ = capacity == 0 ? -1.0 : std::numeric_limits<double>::infinity();
  }

  void offer(double distance, Row row) override {
    if (next_ == nullptr) {
      if (row != except_) take(distance, row);
      return;
    }
    for (; row >= 0; row = next_[row]) {
      if (row != except_ && !take(distance, row)) return;
    }
  }

  Row last() const override { return heap_.empty() ? -1 : heap_.front().row; }

  // Whether a record at this distance, with this row or a higher one, would still be taken.
  bool open_to(double distance, Row row) const {
    return heap_.size() < capacity_ || (capacity_ > 0 && Neighbour{distance, row} < heap_.front());
  }

  // In no particular order.
  const std::vector<Neighbour>& found() const { return heap_; }

  // The nearest, when one was asked for; at infinity if there is none.
  Neighbour first() const {
    return heap_.empty() ? Neighbour{std::numeric_limits<double>::infinity(), -1} : heap_.front();
  }

  // Nearest first. The collection cannot take further offers before a reset.
  const std::vector<Neighbour>& sorted() {
    std::sort_heap(heap_.begin(), heap_.end());
    return heap_;
  }

 private:
  bool take(double distance, Row row) {
    if (distance > bound_) return false;
    const Neighbour candidate{distance, row};
    if (heap_.size() < capacity_) {
      heap_.push_back(candidate);
      std::push_heap(heap_.begin(), heap_.end());
    } else {
      if (!(candidate < heap_.front())) return false;
      replace_farthest(candidate);
    }
    if (heap_.size() == capacity_) bound_ = heap_.front().distance;
    return true;
  }

  void replace_farthest(const Neighbour& candidate) {
    std::size_t hole = 0;
    for (std::size_t child = 1; child < capacity_; child = 2 * hole + 1) {
      if (child + 1 < capacity_ && heap_[child] < heap_[child + 1]) ++child;
      if (!(candidate < heap_[child])) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = candidate;
  }

  const Row* next_;
  std::size_t capacity_ = 0;
  Row except_ = -1;
  std::vector<Neighbour> heap_;
};

// The k nearest within a limit among the records that come after a given one in an order. `order` says where each row
// stands, and must outlive the collector.
class NearestAfter {
 public:
  explicit NearestAfter(std::span<const Row> order) : order_(order) {}

  // Starts anew, to keep `capacity` records after `row`, none farther than `limit`.
  void reset(std::size_t capacity, Row row, double limit = std::numeric_limits<double>::infinity()) {
    nearest_.reset(capacity, row);
    after_ = order_[row];
    limit_ = limit;
  }

  double bound() const { return std::min(limit_, nearest_.bound()); }

  void offer(double distance, Row row) {
    if (order_[row] > after_ && distance <= limit_) nearest_.offer(distance, row);
  }

  // Nearest first.
  const std::vector<Neighbour>& sorted() { return nearest_.sorted(); }

 private:
  std::span<const Row> order_;
  Nearest nearest_;
  Row after_ = 0;
  double limit_ = 0.0;
};

// The nearest or about so: boxes are looked into only if they come within a share of the bound, so that records just
// inside it may be missed.
class NearlyNearest {
 public:
  explicit NearlyNearest(double reach) : reach_(reach) {}

  double bound() const { return nearest_.bound(); }
  double reach() const { return reach_; }  // share of a squared distance
  void reset(std::size_t capacity, Row except) { nearest_.reset(capacity, except); }
  void offer(double distance, Row row) { nearest_.offer(distance, row); }
  const std::vector<Neighbour>& sorted() { return nearest_.sorted(); }

 private:
  double reach_;
  Nearest nearest_;
};

// The smallest distance found so far and how many records stand at it.
struct NearestTies {
  double distance = std::numeric_limits<double>::infinity();
  std::int64_t count = 0;

  double bound() const { return distance; }

  void offer(double candidate, Row) {
    if (candidate < distance) {
      distance = candidate;
      count = 1;
    } else if (candidate == distance) {
      ++count;
    }
  }
};

// The records exactly on the surface of a ball, each counted as often as `copies` says; the search is over as soon as
// one turns up strictly inside. `copies` is read as long as offers come, and not kept.
class BallSurface {
 public:
  BallSurface(double radius, std::span<const std::int64_t> copies) : bound_(radius), radius_(radius), copies_(copies) {}

  double bound() const { return bound_; }

  void offer(double distance, Row row) {
    if (distance < radius_) {
      bound_ = -1.0;
    } else if (distance == radius_) {
      count_ += copies_[row];
    }
  }

  bool is_empty_inside() const { return bound_ >= 0.0; }
  std::int64_t count() const { return count_; }

 private:
  double bound_;
  double radius_;
  std::span<const std::int64_t> copies_;
  std::int64_t count_ = 0;
};

// The nearest record of each class of records, all in one search. Where classes stand apart the search would go over
// most of the records: then it is given up. `class_of` must outlive the collector.
class NearestOfEach {
 public:
  NearestOfEach(std::span<const std::int32_t> class_of, std::int64_t classes) : class_of_(class_of), best_(classes) {}

  // Starts anew, to look at no more than `patience` records.
  void reset(std::int64_t patience) {
    std::fill(best_.begin(), best_.end(), Neighbour{kNobody, -1});
    unmet_ = best_.size();
    bound_ = kNobody;
    patience_ = patience;
  }

  double bound() const { return bound_; }

  void offer(double distance, Row row) {
    Neighbour& best = best_[class_of_[row]];
    const Neighbour candidate{distance, row};
    if (best.row < 0 || candidate < best) {
      const bool tightens = unmet_ == 0 ? best.distance == bound_ : best.row < 0 && --unmet_ == 0;
      best = candidate;
      if (tightens) bound_ = std::max_element(best_.begin(), best_.end())->distance;
    }
    if (--patience_ < 0) bound_ = -1.0;
  }

  bool given_up() const { return patience_ < 0; }
  Row row(std::int64_t of_class) const { return best_[of_class].row; }

 private:
  static constexpr double kNobody = std::numeric_limits<double>::infinity();

  std::span<const std::int32_t> class_of_;
  std::vector<Neighbour> best_;
  std::size_t unmet_ = 0;
  double bound_ = kNobody;
  std::int64_t patience_ = 0;
};

}  // namespace shoal

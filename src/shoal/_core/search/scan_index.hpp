// The records that remain, searched by going through all of them: one pass per question, O(n) memory.
//
// Distances to a record answer two questions in one pass: its nearest records, and the farthest outside of them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "search/record_index.hpp"
#include "search/scan_store.hpp"

namespace shoal {

// What a plain scan and one of images (sketch_scan.hpp) share: the questions. They differ in the pass.
class ScanBase : public FrontIndex {
 public:
  ScanBase(const Records& records, Duplicates& duplicates, std::int64_t size)
      : FrontIndex(records, duplicates, size), kernels_(lane_kernels(records.number_count())), store_(records) {}

  void gather(Row row, std::size_t k, std::vector<Row>& group, bool farthest_too) final {
    store_.locate(row, place_);
    if (by_subject()) {
      nearest_subjects_.reset(k - 1, row);
      near_ = &nearest_subjects_;
    } else {
      seek_nearest(k - 1, row);
    }
    farthest_ = farthest_too ? Farthest{} : nobody();
    pass(place_, !farthest_too);
    take_group(row, group);
    tied_ = false;
    for (const Row member : group) tied_ |= member == farthest_.row;
  }

  Row farthest_from_last() final {
    if (!tied_) return farthest_.row;
    // Among the k nearest and farthest at once: then everybody else is exactly as far, and the lowest row left is the
    // farthest. The only near record of a subject may be the farthest of all, and says nothing of the others.
    return by_subject() ? farthest_from(place_) : store_.lowest_row();
  }

  Neighbour nearest(Row row) final {
    place_.set(records_, row);
    seek_nearest(1, row);
    farthest_ = nobody();
    pass(place_, true);
    return nearest_.first();
  }

  void locate(Row row, Place& place) const final {
    if (store_.holds(row)) {
      store_.locate(row, place);
    } else {
      place.set(records_, row);
    }
  }

  std::vector<Row> fronts() const final { return store_.rows(); }

 protected:
  // Offers every record that may matter to near_ and farthest_, or to near_ alone.
  virtual void pass(const Place& place, bool near_only) = 0;

  Query query(const Place& place) const {
    return {place.numbers.data(), records_.number_count(), place.codes.data(), records_.code_weights.data(),
            records_.code_count};
  }

  void seek_nearest(std::size_t count, Row except = -1) {
    nearest_.reset(count, except);
    near_ = &nearest_;
  }

  void offer_block(std::int64_t block, const double* distances) {
    for (int i = 0; i < store_.lanes_of(block); ++i) {
      const bool matters = distances[i] <= near_->bound() || distances[i] >= farthest_.distance;
      if (!matters) continue;
      const Row row = store_.blocks().row(block * kBlock + i);
      near_->offer(distances[i], row);
      farthest_.offer(distances[i], row);
    }
  }

  // A farthest record that nobody beats.
  static Farthest nobody() { return {std::numeric_limits<double>::infinity(), -1}; }

  LaneKernels kernels_;
  ScanStore store_;
  NearCollector* near_ = &nearest_;
  Farthest farthest_;

 private:
  bool tied_ = false;
};

class ScanIndex final : public ScanBase {
 public:
  ScanIndex(const Records& records, Duplicates& duplicates, std::span<const Row> fronts, std::int64_t size)
      : ScanBase(records, duplicates, size) {
    store_.fill(records, fronts);
  }

  Row farthest_from(const Place& place) override {
    seek_nearest(0);
    farthest_ = {};
    pass(place, false);
    return farthest_.row;
  }

 private:
  void pass(const Place& place, bool /*near_only*/) override {
    const Query from = query(place);
    const BlockStore& blocks = store_.blocks();
    alignas(64) double distances[kBlock];
    for (std::int64_t block = 0;; ++block) {
      block = kernels_.seek(blocks.numbers(), blocks.codes(), block, store_.block_count(), from, near_->bound(),
                            farthest_.distance, distances);
      if (block == store_.block_count()) return;
      offer_block(block, distances);
    }
  }

  void erase(std::span<const Row> rows) override {
    for (const Row row : rows) store_.remove(row);
  }
  void replace(Row row, Row heir) override { store_.replace(row, heir); }
};

}  // namespace shoal

// The records that remain, searched by going through all of them: one pass per question, O(n) memory.
//
// Best in high dimension, where no tree prunes. Distances to a record answer two questions in one pass: its nearest
// records, and the farthest record outside of them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "block_store.hpp"
#include "neighbours.hpp"
#include "records.hpp"

namespace shoal {

class ScanIndex {
 public:
  explicit ScanIndex(const Records& records)
      : records_(records),
        store_(records, (records.size + kBlock - 1) / kBlock),
        slots_(records.size),
        kernels_(lane_kernels(records.number_count())),
        size_(records.size),
        place_(records) {
    for (std::int64_t i = 0; i < size_; ++i) {
      store_.put(i, records, static_cast<Row>(i));
      slots_[i] = static_cast<Row>(i);
    }
  }

  std::int64_t size() const { return size_; }

  Row farthest_from(const Place& place) {
    nearest_.reset(0);
    farthest_ = {};
    pass(place);
    return farthest_.row;
  }

  // Finds `row` and its k-1 nearest, and the farthest record in the same pass if it will be asked for.
  void gather(Row row, std::size_t k, std::vector<Row>& group, bool farthest_too) {
    locate(row, place_);
    nearest_.reset(k - 1, row);
    farthest_ = farthest_too ? Farthest{} : nobody();
    pass(place_);
    group.assign(1, row);
    tied_ = farthest_.row == row;
    for (const auto& neighbour : nearest_.found()) {
      group.push_back(neighbour.row);
      tied_ |= neighbour.row == farthest_.row;
    }
  }

  // The record farthest from the one given to gather (farthest too), once its group is removed.
  Row farthest_from_last() const {
    // Nearest and farthest at once: then everybody else is exactly as far, and the lowest row left is the farthest.
    return tied_ ? lowest_row() : farthest_.row;
  }

  // The nearest record other than `row`, which itself may be in the index or not; at infinity if there is none.
  Neighbour nearest(Row row) {
    place_.set(records_, row);
    nearest_.reset(1, row);
    farthest_ = nobody();
    pass(place_);
    return nearest_.first();
  }

  // The place of a record of the index.
  void locate(Row row, Place& place) const { store_.get(slots_[row], place); }

  void remove(std::span<const Row> rows) {
    for (const Row row : rows) {
      const std::int64_t slot = slots_[row];
      const std::int64_t last = --size_;
      if (slot != last) {
        store_.move(last, slot);
        slots_[store_.row(slot)] = static_cast<Row>(slot);
      }
    }
  }
  void remove(Row row) { remove({&row, 1}); }

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::int64_t i = 0; i < size_; ++i) visit(store_.row(i));
  }

 private:
  // A farthest record that nobody beats: asks a pass not to look for one.
  static Farthest nobody() { return {std::numeric_limits<double>::infinity(), -1}; }

  // Offers every record to nearest_ and farthest_.
  void pass(const Place& place) {
    const Query query{place.numbers.data(), records_.number_count(), place.codes.data(), records_.code_weights.data(),
                      records_.code_count};
    const std::int64_t blocks = (size_ + kBlock - 1) / kBlock;
    alignas(64) double distances[kBlock];
    for (std::int64_t block = 0;; ++block) {
      block = kernels_.seek(store_.numbers(), store_.codes(), block, blocks, query,
                            nearest_.bound(), farthest_.distance, distances);
      if (block == blocks) return;
      const std::int64_t start = block * kBlock;
      const int lanes = static_cast<int>(std::min<std::int64_t>(kBlock, size_ - start));
      for (int i = 0; i < lanes; ++i) {
        if (distances[i] > nearest_.bound() && distances[i] < farthest_.distance) continue;
        const Row row = store_.row(start + i);
        nearest_.offer(distances[i], row);
        farthest_.offer(distances[i], row);
      }
    }
  }

  Row lowest_row() const {
    Row lowest = store_.row(0);
    for (std::int64_t i = 1; i < size_; ++i) lowest = std::min(lowest, store_.row(i));
    return lowest;
  }

  const Records& records_;
  BlockStore store_;
  std::vector<Row> slots_;  // where each remaining row stands
  LaneKernels kernels_;
  std::int64_t size_;
  Place place_;
  Nearest nearest_;
  Farthest farthest_;
  bool tied_ = false;
};

}  // namespace shoal

// The records of a scan, packed without gaps: what leaves is replaced by the last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "search/block_store.hpp"
#include "search/records.hpp"

namespace shoal {

class ScanStore {
 public:
  explicit ScanStore(const Records& records) : slots_(records.size) {}

  // Holds these rows, in this order; with a sketch, their images too.
  void fill(const Records& records, std::span<const Row> rows, const Sketch* sketch = nullptr) {
    size_ = static_cast<std::int64_t>(rows.size());
    blocks_ = BlockStore(records, block_count(), sketch);
    for (std::int64_t i = 0; i < size_; ++i) {
      blocks_.put(i, records, rows[i], rows[i]);
      slots_[rows[i]] = static_cast<Row>(i);
    }
  }

  std::int64_t size() const { return size_; }
  std::int64_t block_count() const { return (size_ + kBlock - 1) / kBlock; }
  int lanes_of(std::int64_t block) const {
    return static_cast<int>(std::clamp<std::int64_t>(size_ - block * kBlock, 0, kBlock));
  }
  const BlockStore& blocks() const { return blocks_; }
  std::int64_t slot(Row row) const { return slots_[row]; }

  bool holds(Row row) const { return slots_[row] < size_ && blocks_.row(slots_[row]) == row; }
  void locate(Row row, Place& place) const { blocks_.get(slots_[row], place); }

  // Returns the two slots that changed: where the row was, and the end.
  std::pair<std::int64_t, std::int64_t> remove(Row row) {
    const std::int64_t slot = slots_[row], last = --size_;
    if (slot != last) {
      blocks_.move(last, slot);
      slots_[blocks_.row(slot)] = static_cast<Row>(slot);
    }
    return {slot, last};
  }

  void replace(Row row, Row heir) {
    blocks_.relabel(slots_[row], heir);
    slots_[heir] = slots_[row];
  }

  std::vector<Row> rows() const {
    std::vector<Row> rows(size_);
    for (std::int64_t i = 0; i < size_; ++i) rows[i] = blocks_.row(i);
    return rows;
  }

  Row lowest_row() const {
    Row lowest = blocks_.row(0);
    for (std::int64_t i = 1; i < size_; ++i) lowest = std::min(lowest, blocks_.row(i));
    return lowest;
  }

 private:
  BlockStore blocks_;
  std::vector<Row> slots_;  // where each row stands
  std::int64_t size_ = 0;
};

}  // namespace shoal

// The records that remain, where all attributes are codes: a scan of 512 records at a time, bit by bit.
//
// Records of some ten attributes with a few categories each are nearly all nearly equally far from each other, and a
// tree looks at most of them for every question. So does a scan, but in far fewer steps than there are records. A plane
// has one bit of one attribute for 512 records, in eight words. Where a record differs from the place in any bit of an
// attribute, it counts that attribute's share; and the sums of 512 records are made at once, in binary digits that are
// planes, too, as an adder makes them. Records whose sum is within the limit are measured in doubles.
//
// Shares are whole numbers, and for each sum of them it is known which distances it can stand for. Where all weights
// are equal or multiples of one, as they mostly are, these hardly differ: then of records exactly at the limit, which
// are many, only those of lower rows matter. Records stand in the order of their rows, so the blocks behind have none.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "platform.hpp"
#include "search/lanes.hpp"
#include "search/lines.hpp"
#include "search/record_index.hpp"

namespace shoal {

// Whole numbers in place of weights, and the distances that their sums stand for.
class Shares {
 public:
  explicit Shares(std::span<const double> weights) {
    const double unit = unit_of(weights);
    even_ = true;
    for (const double weight : weights) {
      of_.push_back(weight > 0.0 ? static_cast<std::uint8_t>(std::round(weight / unit)) : 0);
      even_ &= weight == 0.0 || weight == unit;
    }
    // Attribute by attribute, as squared_distance adds: rounding keeps order, so that the extremes of a longer sum come
    // from those of a shorter one.
    nearest_.assign(std::accumulate(of_.begin(), of_.end(), 1), std::numeric_limits<double>::infinity());
    farthest_.assign(nearest_.size(), -1.0);
    nearest_[0] = farthest_[0] = 0.0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      for (std::size_t sum = nearest_.size() - 1; sum + 1 > of_[j]; --sum) {
        nearest_[sum] = std::min(nearest_[sum], nearest_[sum - of_[j]] + weights[j]);
        if (const double shorter = farthest_[sum - of_[j]]; shorter >= 0.0) {
          farthest_[sum] = std::max(farthest_[sum], shorter + weights[j]);
        }
      }
    }
    // No sum from here on stands for a lower distance, none up to here for a higher one.
    for (std::size_t sum = nearest_.size() - 1; sum > 0; --sum) {
      nearest_[sum - 1] = std::min(nearest_[sum - 1], nearest_[sum]);
    }
    for (std::size_t sum = 1; sum < farthest_.size(); ++sum) {
      farthest_[sum] = std::max(farthest_[sum], farthest_[sum - 1]);
    }
    exact_ = nearest_ == farthest_;
  }

  // Whether weights can be told apart by shares: not too many, and not so small that the unit is rounded away.
  static bool suit(std::span<const double> weights) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    return weights.size() <= kMost / 2 && (total == 0.0 || total > kSmallest);
  }

  bool even() const { return even_; }
  bool exact() const { return exact_; }  // whether each sum stands for one distance
  const std::uint8_t* of() const { return of_.data(); }

  // One more than the greatest sum.
  int none() const { return static_cast<int>(nearest_.size()); }

  // Distances that no sum from this one on falls short of, and none up to it exceeds.
  double nearest(int sum) const { return nearest_[sum]; }
  double farthest(int sum) const { return farthest_[sum]; }

  // One more than the greatest sum that may be within a distance, and the least that may be beyond it.
  int within(double distance) const {
    return static_cast<int>(std::upper_bound(nearest_.begin(), nearest_.end(), distance) - nearest_.begin());
  }
  int beyond(double distance) const {
    return static_cast<int>(std::lower_bound(farthest_.begin(), farthest_.end(), distance) - farthest_.begin());
  }

 private:
  static constexpr int kMost = (1 << kMostDigits) - 2;  // one more than the greatest sum has digits, too
  static constexpr int kMostParts = 12;
  static constexpr double kSmallest = 1e-290, kRounding = 1e-15;

  // What shares are multiples of: weights are often equal, or simple parts of each other. Else the least number that
  // sums have digits for, though each share may be half of it more than its weight.
  static double unit_of(std::span<const double> weights) {
    double least = std::numeric_limits<double>::infinity(), total = 0.0;
    for (const double weight : weights) {
      if (weight > 0.0) least = std::min(least, weight);
      total += weight;
    }
    for (int parts = 1; parts <= kMostParts; ++parts) {
      const double unit = least / parts;
      if (total <= kMost * unit && std::all_of(weights.begin(), weights.end(), [unit](double weight) {
            return std::abs(std::round(weight / unit) * unit - weight) <= kRounding * weight;
          })) {
        return unit;
      }
    }
    return total / (kMost - static_cast<double>(weights.size()) / 2);
  }

  std::vector<std::uint8_t> of_;
  std::vector<double> nearest_, farthest_;
  bool even_, exact_;
};

class PlaneScan final : public SeekingIndex<PlaneScan> {
 public:
  static constexpr std::int64_t kPlaneBlock = kPlaneWords * 64;

  PlaneScan(const Records& records, Duplicates& duplicates, std::vector<Row> fronts, std::int64_t size)
      : SeekingIndex(records, duplicates, size),
        kernels_(lane_kernels(0)),
        shares_(records.code_weights),
        slots_(records.size) {
    for (int j = 0; j < records.code_count; ++j) {
      widths_.push_back(records.code_weights[j] > 0.0 ? width(records, j) : 0);
    }
    bits_.resize(std::accumulate(widths_.begin(), widths_.end(), 0));
    unlike_.resize(widths_.size());
    arrange(std::move(fronts));
  }

  // Whether there is nothing but codes, few enough and of weights that can be compared.
  static bool suits(const Records& records) {
    return records.number_count() == 0 && records.code_count > 0 && Shares::suit(records.code_weights);
  }

  // That it takes to write the codes of a record.
  static int bits(const Records& records) {
    int sum = 0;
    for (int j = 0; j < records.code_count; ++j) sum += width(records, j);
    return sum;
  }

  // Whether all attributes count alike, which takes far less.
  static bool counts_evenly(const Records& records) { return Shares(records.code_weights).even(); }

  Row farthest_from(const Place& place) override {
    Farthest farthest;
    pass(place, farthest, [&] {
      const int sum = shares_.beyond(farthest.distance);
      const bool tied = sum < shares_.none() && shares_.farthest(sum) == farthest.distance;
      return PlaneLimit{sum, tied ? farthest.row : kNobody, true};
    });
    return farthest.row;
  }

  void locate(Row row, Place& place) const override { place.set(records_, row); }

  std::vector<Row> fronts() const override {
    std::vector<Row> rows;
    for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
      if ((block(slot)[slot % kPlaneBlock / kWordBits] >> slot % kWordBits & 1) != 0) rows.push_back(rows_[slot]);
    }
    return rows;
  }

 private:
  friend class SeekingIndex<PlaneScan>;

  static constexpr Row kNobody = std::numeric_limits<Row>::max();
  static constexpr std::int64_t kWordBits = 64;

  static int width(const Records& records, int attribute) {
    return std::bit_width(static_cast<std::uint32_t>(records.code_levels[attribute] - 1));
  }
  std::int64_t plane_count() const { return static_cast<std::int64_t>(bits_.size()) + 1; }
  std::uint64_t* block(std::int64_t slot) { return planes_.data() + slot / kPlaneBlock * plane_count() * kPlaneWords; }
  const std::uint64_t* block(std::int64_t slot) const {
    return planes_.data() + slot / kPlaneBlock * plane_count() * kPlaneWords;
  }

  // Puts records into blocks, in the order of their rows.
  void arrange(std::vector<Row> rows) {
    std::sort(rows.begin(), rows.end());
    rows_ = std::move(rows);
    left_ = static_cast<std::int64_t>(rows_.size());
    const std::int64_t blocks = (left_ + kPlaneBlock - 1) / kPlaneBlock;
    planes_.assign(blocks * plane_count() * kPlaneWords, 0);
    lowest_.resize(blocks);
    for (std::int64_t i = 0; i < blocks; ++i) lowest_[i] = rows_[i * kPlaneBlock];
    for (std::int64_t slot = 0; slot < left_; ++slot) {
      const Row row = rows_[slot];
      slots_[row] = static_cast<Row>(slot);
      std::uint64_t* word = block(slot) + slot % kPlaneBlock / kWordBits;
      const auto put = [&](std::uint64_t bit) {
        *word |= bit << slot % kWordBits;
        word += kPlaneWords;
      };
      put(1);
      for (int j = 0; j < records_.code_count; ++j) {
        for (int b = 0; b < widths_[j]; ++b) put(records_.code(row, j) >> b & 1);
      }
    }
  }

  // As far as the collector still looks.
  template <class Collector>
  void seek(Collector& collector) {
    pass(place_, collector, [&] {
      const int sum = shares_.within(collector.bound());
      const bool tied = sum > 0 && shares_.nearest(sum - 1) == collector.bound();
      return PlaneLimit{sum, tied ? collector.last() : kNobody, false};
    });
  }

  // Offers every record within the limit. The first ones narrow it most: whenever it has changed, a block is looked at
  // anew.
  template <class Collector, class Limit>
  void pass(const Place& place, Collector& collector, Limit limit) {
    const PlaneQuery from = query_of(place);
    const auto blocks = static_cast<std::int64_t>(lowest_.size());
    alignas(kCacheLine) std::uint64_t within[kPlaneWords];
    PlaneLimit now = limit();
    for (std::int64_t at = 0;; ++at) {
      at = kernels_.seek_planes(planes_.data(), lowest_.data(), at, blocks, from, now, within);
      if (at == blocks) return;
      for (int word = 0; word < kPlaneWords; ++word) {
        if (within[word] == 0) continue;
        offer_word(at, word, within[word], collector);
        if (const PlaneLimit next = limit(); next != now) {
          now = next;
          if (kernels_.seek_planes(planes_.data(), lowest_.data(), at, at + 1, from, now, within) > at) break;
        }
      }
    }
  }

  template <class Collector>
  void offer_word(std::int64_t at, int word, std::uint64_t lanes, Collector& collector) {
    const std::int64_t first = at * kPlaneBlock + word * kWordBits;
    const std::uint64_t* plane = block(first) + word;
    const std::uint64_t* bit = bits_.data();
    for (int j = 0; j < records_.code_count; ++j) {
      unlike_[j] = 0;
      for (int b = 0; b < widths_[j]; ++b) unlike_[j] |= *(plane += kPlaneWords) ^ *bit++;
    }
    for (; lanes != 0; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      collector.offer(distance_of(lane), rows_[first + lane]);
    }
  }

  // Of a record that unlike_ is about. Without a branch: who differs where is anybody's guess.
  double distance_of(int lane) const {
    if (shares_.exact()) {
      std::uint64_t sum = 0;
      for (int j = 0; j < records_.code_count; ++j) sum += (unlike_[j] >> lane & 1) * shares_.of()[j];
      return shares_.nearest(static_cast<int>(sum));
    }
    double distance = 0.0;  // in the order of squared_distance
    for (int j = 0; j < records_.code_count; ++j) {
      distance += static_cast<double>(unlike_[j] >> lane & 1) * records_.code_weights[j];
    }
    return distance;
  }

  PlaneQuery query_of(const Place& place) {
    auto bit = bits_.begin();
    for (int j = 0; j < records_.code_count; ++j) {
      for (int b = 0; b < widths_[j]; ++b) *bit++ = (place.codes[j] >> b & 1) != 0 ? ~std::uint64_t{0} : 0;
    }
    return {bits_.data(), widths_.data(), shares_.even() ? nullptr : shares_.of(), records_.code_count,
            static_cast<int>(plane_count()), shares_.none()};
  }

  void erase(std::span<const Row> rows) override {
    for (const Row row : rows) {
      const std::int64_t slot = slots_[row];
      block(slot)[slot % kPlaneBlock / kWordBits] &= ~(std::uint64_t{1} << slot % kWordBits);
    }
    left_ -= static_cast<std::int64_t>(rows.size());
    if (3 * left_ < 2 * static_cast<std::int64_t>(rows_.size())) arrange(fronts());
  }

  // Behind lower rows perhaps, until records are put in order anew: the lowest of the block is no higher for it.
  void replace(Row row, Row heir) override {
    slots_[heir] = slots_[row];
    rows_[slots_[heir]] = heir;
  }

  LaneKernels kernels_;
  Shares shares_;
  std::vector<std::int32_t> widths_;   // planes of each attribute
  std::vector<std::uint64_t> bits_;    // those of the place asked about, each 64 times
  std::vector<std::uint64_t> unlike_;  // for each attribute, who differs from that place, of 64 records
  Lines<std::uint64_t> planes_;        // block by block: who is left, then the bits of the codes
  std::vector<Row> rows_;              // slot by slot, 512 to a block
  std::vector<Row> slots_;             // where each row stands
  std::vector<Row> lowest_;            // row that a block may have
  std::int64_t left_ = 0;
};

}  // namespace shoal

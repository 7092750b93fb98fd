#include "search/kd_order.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "search/lanes.hpp"
#include "search/lines.hpp"
#include "tuning.hpp"

namespace shoal {
namespace {

// The upper half of a double is key enough, as a whole number in the same order: where it takes two values together, the
// cut between them is a little off, no more. It has all exponents, which a float has not.
using Key = std::int32_t;

Key key_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return static_cast<Key>((bits ^ static_cast<std::int64_t>(static_cast<std::uint64_t>(bits >> 63) >> 1)) >> 32);
}

struct Keyed {
  Key key;
  Row row;
  bool operator<(const Keyed& other) const { return key < other.key; }
};

// Moves what is less than `pivot` to the front, without a branch that could be mispredicted.
Keyed* partition(Keyed* first, Keyed* last, Key pivot) {
  Keyed* boundary = first;
  for (Keyed* next = first; next != last; ++next) {
    const Keyed moved = *next;
    *next = *boundary;
    *boundary = moved;
    boundary += moved.key < pivot;
  }
  return boundary;
}

// nth_element, faster: pivots from a sample close in on the place from both sides (Floyd and Rivest).
void select(Keyed* first, Keyed* nth, Keyed* last) {
  constexpr int kSample = 31;
  constexpr int kMargin = 3;
  while (last - first > 4 * kSample) {
    Key sample[kSample];
    const auto size = last - first;
    for (int i = 0; i < kSample; ++i) sample[i] = first[(2 * i + 1) * size / (2 * kSample)].key;
    std::sort(sample, sample + kSample);
    const auto rank = static_cast<int>((nth - first) * kSample / size);
    Keyed* const above = partition(first, last, sample[std::min(rank + kMargin, kSample - 1)]);
    if (above <= nth) {  // a pivot too low; if nobody is below it, most keys may be equal
      if (above == first) break;
      first = above;
      continue;
    }
    last = above;
    Keyed* const below = partition(first, last, sample[std::max(rank - kMargin, 0)]);
    if (below <= nth) {
      first = below;
    } else {
      last = below;
    }
  }
  std::nth_element(first, nth, last);
}

// Cuts go back and forth between two arrays of rows: each reads a cell from one and writes its halves to the other.
class Splitter {
 public:
  Splitter(const Records& records, std::vector<Row> rows, const PutInCell& put)
      : records_(records), rows_(std::move(rows)), other_(rows_.size()), put_(put) {
    const auto size = static_cast<std::int64_t>(rows_.size());
    std::int64_t run = kBlock;
    while (run * kBlock < size) run *= kBlock;
    split_far({rows_.data(), other_.data()}, size, run);
  }

 private:
  // A cell: its rows now, and as much room for them after the next cut.
  struct Cell {
    Row* rows;
    Row* room;
    Cell halved(std::int64_t middle) const { return {room + middle, rows + middle}; }
  };

  void split_far(Cell cell, std::int64_t size, std::int64_t run) {
    if (size <= tuning::kNearby) return split_nearby(cell.rows, size, run);
    while (size <= run) run /= kBlock;
    const std::int64_t middle = middle_of(size, run);
    cut(records_, cell, size, middle);
    split_far(cell.halved(0), middle, run);
    split_far(cell.halved(middle), size - middle, run);
  }

  // Rows of a large table are all over memory. Once a cell is small enough its records are copied together, split there
  // and put where they belong.
  void split_nearby(const Row* rows, std::int64_t size, std::int64_t run) {
    numbers_.resize(size * records_.number_count());
    for (int j = 0; j < records_.number_count(); ++j) {
      for (std::int64_t i = 0; i < size; ++i) numbers_[j * size + i] = records_.number(rows[i], j);
    }
    codes_.resize(size * records_.code_count);
    for (int j = 0; j < records_.code_count; ++j) {
      for (std::int64_t i = 0; i < size; ++i) codes_[j * size + i] = records_.code(rows[i], j);
    }
    const Records nearby{.size = size,
                         .coords = numbers_.data(),
                         .coord_count = records_.number_count(),
                         .ranks = nullptr,
                         .rank_count = 0,
                         .rank_steps = {},
                         .rank_levels = {},
                         .rank_convex = {},
                         .codes = codes_.data(),
                         .code_count = records_.code_count,
                         .code_weights = records_.code_weights,
                         .code_levels = records_.code_levels,
                         .subjects = {}};
    indexes_.resize(2 * size);
    std::iota(indexes_.begin(), indexes_.begin() + size, Row{0});
    split(nearby, {indexes_.data(), indexes_.data() + size}, size, run, rows);
  }

  void split(const Records& nearby, Cell cell, std::int64_t size, std::int64_t run, const Row* rows) {
    while (size <= run) {
      if (run == kBlock) return put_block(nearby, {cell.rows, static_cast<std::size_t>(size)}, rows);
      run /= kBlock;
    }
    const std::int64_t middle = middle_of(size, run);
    cut(nearby, cell, size, middle);
    split(nearby, cell.halved(0), middle, run, rows);
    split(nearby, cell.halved(middle), size - middle, run, rows);
  }

  void put_block(const Records& nearby, std::span<const Row> indexes, const Row* rows) {
    Row block[kBlock];
    for (std::size_t i = 0; i < indexes.size(); ++i) block[i] = rows[indexes[i]];
    put_(blocks_++, nearby, indexes, {block, indexes.size()});
  }

  static std::int64_t middle_of(std::int64_t size, std::int64_t run) { return (size + run - 1) / run / 2 * run; }

  // Writes the rows of a cell to its room, the `middle` least in the widest attribute first.
  void cut(const Records& source, Cell cell, std::int64_t size, std::int64_t middle) {
    const std::span<const Row> rows(cell.rows, size);
    const int attribute = widest(source, rows);
    if (attribute < source.coord_count) {
      const double* column = source.coords + attribute * source.size;
      cut_by(cell, size, middle, [column](Row row) { return column[row]; });
    } else if (attribute < source.number_count()) {
      cut_by(cell, size, middle, [&](Row row) { return source.number(row, attribute); });
    } else {
      cut_by(cell, size, middle, [&](Row row) {
        return static_cast<double>(source.code(row, attribute - source.number_count()));
      });
    }
  }

  // One pass sends rows to the left or right half if two pivots say so, and sets those between them aside; of these few
  // the place of the cut is sought.
  template <class Value>
  void cut_by(Cell cell, std::int64_t size, std::int64_t middle, Value value) {
    const auto [base, low, high] = pivots(cell.rows, size, middle, value);
    const auto key = [&value, base = base](Row row) { return key_of(value(row) - base); };
    if (static_cast<std::int64_t>(between_.size()) < size) between_.resize(size);
    Keyed* const between = between_.data();
    std::int64_t left = 0, right = size - 1, open = 0;
    for (std::int64_t i = 0; i < size; ++i) {  // without a branch that could be mispredicted
      const Row row = cell.rows[i];
      const Key k = key(row);
      const bool under = k < low, over = k > high;
      cell.room[left] = row;
      cell.room[right] = row;
      between[open] = {k, row};
      left += under;
      right -= over;
      open += !under && !over;
    }
    std::int64_t first = left, last = right + 1;
    if (middle < first || middle > last) {  // the pivots were off: the cut falls in the half that has too many
      for (std::int64_t i = 0; i < open; ++i) cell.room[left + i] = between[i].row;
      std::tie(first, last) = middle < first ? std::pair{std::int64_t{0}, first} : std::pair{last, size};
      for (std::int64_t i = first; i < last; ++i) between[i - first] = {key(cell.room[i]), cell.room[i]};
    }
    select(between, between + (middle - first), between + (last - first));
    for (std::int64_t i = first; i < last; ++i) cell.room[i] = between[i - first].row;
  }

  struct Pivots {
    double base;
    Key low, high;
  };

  // A value near the cut, to which differences are keys, and two keys between which the cut very likely falls, by a sample.
  // Next to the value keys have the most bits, wherever it is: other values may be far from zero, or very much larger.
  template <class Value>
  static Pivots pivots(const Row* rows, std::int64_t size, std::int64_t middle, Value value) {
    constexpr int kMost = 127, kFew = 31, kLeast = 9;
    constexpr Key kBelow = std::numeric_limits<Key>::min(), kAbove = std::numeric_limits<Key>::max();
    const int count = size <= 4 * kFew ? kLeast : size < 4096 ? kFew : kMost;
    const int margin = size <= 4 * kFew ? kLeast : size < 4096 ? 5 : 11;  // twice the standard error of the median
    double sample[kMost];
    for (int i = 0; i < count; ++i) sample[i] = value(rows[(2 * i + 1) * size / (2 * count)]);
    std::sort(sample, sample + count);
    const int rank = static_cast<int>(middle * count / size);
    const double base = sample[rank];
    return {base, rank < margin ? kBelow : key_of(sample[rank - margin] - base),
            rank + margin >= count ? kAbove : key_of(sample[rank + margin] - base)};
  }

  // The attribute with the greatest expected squared difference of two records, judged by a sample.
  int widest(const Records& source, std::span<const Row> rows) {
    std::pair<double, int> best{-1.0, 0};
    const auto consider = [&best](double spread, int attribute) {
      if (spread > best.first) best = {spread, attribute};
    };
    const std::size_t step = std::max<std::size_t>(1, rows.size() / kSample);
    const auto count = static_cast<double>((rows.size() + step - 1) / step);
    for (int j = 0; j < source.number_count(); ++j) {
      const double base = source.number(rows[0], j);
      double sum = 0.0, squares = 0.0;
      for (std::size_t i = 0; i < rows.size(); i += step) {
        const double value = source.number(rows[i], j) - base;
        sum += value;
        squares += value * value;
      }
      consider(2.0 * (squares - sum * sum / count) / count, j);
    }
    for (int j = 0; j < source.code_count; ++j) {
      sampled_.clear();
      for (std::size_t i = 0; i < rows.size(); i += step) sampled_.push_back(source.code(rows[i], j));
      std::sort(sampled_.begin(), sampled_.end());
      double same = 0.0;
      for (auto first = sampled_.begin(); first != sampled_.end();) {
        const auto last = std::upper_bound(first, sampled_.end(), *first);
        same += static_cast<double>(last - first) * static_cast<double>(last - first);
        first = last;
      }
      consider(source.code_weights[j] * (1.0 - same / (count * count)), source.number_count() + j);
    }
    return best.second;
  }

  static constexpr std::size_t kSample = 32;
  const Records& records_;
  std::vector<Row> rows_, other_;
  const PutInCell& put_;
  std::int64_t blocks_ = 0;  // put so far
  Lines<Keyed> between_;
  std::vector<double> numbers_;  // of the cell nearby
  std::vector<std::int32_t> codes_;
  std::vector<Row> indexes_;
  std::vector<std::int32_t> sampled_;
};

}  // namespace

void order_by_cells(const Records& records, std::vector<Row> rows, const PutInCell& put) {
  if (!rows.empty()) Splitter(records, std::move(rows), put);
}

}  // namespace shoal

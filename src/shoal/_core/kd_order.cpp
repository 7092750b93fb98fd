#include "kd_order.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lanes.hpp"
#include "lines.hpp"

namespace shoal {
namespace {

// A float is key enough: where it rounds two values together, the cut between them is a little off, no more.
struct Keyed {
  float key;
  Row row;
  bool operator<(const Keyed& other) const { return key < other.key; }
};

// Moves what is less than `pivot` to the front, without a branch that could be mispredicted.
Keyed* partition(Keyed* first, Keyed* last, float pivot) {
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
    float sample[kSample];
    const auto size = last - first;
    for (int i = 0; i < kSample; ++i) sample[i] = first[(2 * i + 1) * size / (2 * kSample)].key;
    std::sort(sample, sample + kSample);
    const auto rank = static_cast<int>((nth - first) * kSample / size);
    Keyed* const above = partition(first, last, sample[std::min(rank + kMargin, kSample - 1)]);
    if (above <= nth) {  // a pivot too low, or many equal keys: no smaller than half a step forward
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

class Splitter {
 public:
  Splitter(const Records& records, std::vector<Row> rows, const PutInCell& put)
      : records_(records), keyed_(rows.size()), put_(put) {
    for (std::size_t i = 0; i < rows.size(); ++i) keyed_[i].row = rows[i];
    rows = {};
    std::int64_t run = kBlock;
    while (run * kBlock < static_cast<std::int64_t>(keyed_.size())) run *= kBlock;
    split(records_, 0, static_cast<std::int64_t>(keyed_.size()), run);
  }

 private:
  void split(const Records& source, std::int64_t begin, std::int64_t end, std::int64_t run) {
    if (&source == &records_ && end - begin <= kNearby) return split_nearby(begin, end, run);
    while (end - begin <= run) {
      if (run == kBlock) return;
      run /= kBlock;
    }
    const std::int64_t runs = (end - begin + run - 1) / run;
    const std::int64_t middle = begin + runs / 2 * run;
    set_keys(source, begin, end, widest(source, begin, end));
    select(keyed_.data() + begin, keyed_.data() + middle, keyed_.data() + end);
    split(source, begin, middle, run);
    split(source, middle, end, run);
  }

  // Rows of a large table are all over memory. Once a cell is small enough its records are copied together, split there
  // and put where they belong.
  void split_nearby(std::int64_t begin, std::int64_t end, std::int64_t run) {
    const std::int64_t size = end - begin;
    rows_.resize(size);
    for (std::int64_t i = 0; i < size; ++i) rows_[i] = std::exchange(keyed_[begin + i].row, static_cast<Row>(i));
    numbers_.resize(size * records_.number_count());
    for (int j = 0; j < records_.number_count(); ++j) {
      for (std::int64_t i = 0; i < size; ++i) numbers_[j * size + i] = records_.number(rows_[i], j);
    }
    codes_.resize(size * records_.code_count);
    for (int j = 0; j < records_.code_count; ++j) {
      for (std::int64_t i = 0; i < size; ++i) codes_[j * size + i] = records_.code(rows_[i], j);
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
                         .code_levels = records_.code_levels};
    split(nearby, begin, end, run);
    for (std::int64_t i = begin; i < end; ++i) put_(i, nearby, keyed_[i].row, rows_[keyed_[i].row]);
  }

  void set_keys(const Records& source, std::int64_t begin, std::int64_t end, int attribute) {
    const auto set = [&](auto value) {
      const double base = value(keyed_[begin].row);  // keeps the bits of values far from zero
      for (std::int64_t i = begin; i < end; ++i) keyed_[i].key = static_cast<float>(value(keyed_[i].row) - base);
    };
    if (attribute < source.coord_count) {
      const double* column = source.coords + attribute * source.size;
      set([column](Row row) { return column[row]; });
    } else if (attribute < source.number_count()) {
      set([&](Row row) { return source.number(row, attribute); });
    } else {
      set([&](Row row) { return static_cast<double>(source.code(row, attribute - source.number_count())); });
    }
  }

  // The attribute with the greatest expected squared difference of two records, judged by a sample.
  int widest(const Records& source, std::int64_t begin, std::int64_t end) {
    std::pair<double, int> best{-1.0, 0};
    const auto consider = [&best](double spread, int attribute) {
      if (spread > best.first) best = {spread, attribute};
    };
    const std::int64_t step = std::max<std::int64_t>(1, (end - begin) / kSample);
    const double count = static_cast<double>((end - begin + step - 1) / step);
    for (int j = 0; j < source.number_count(); ++j) {
      const double base = source.number(keyed_[begin].row, j);
      double sum = 0.0, squares = 0.0;
      for (std::int64_t i = begin; i < end; i += step) {
        const double value = source.number(keyed_[i].row, j) - base;
        sum += value;
        squares += value * value;
      }
      consider(2.0 * (squares - sum * sum / count) / count, j);
    }
    for (int j = 0; j < source.code_count; ++j) {
      sampled_.clear();
      for (std::int64_t i = begin; i < end; i += step) sampled_.push_back(source.code(keyed_[i].row, j));
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

  static constexpr std::int64_t kSample = 32;
  static constexpr std::int64_t kNearby = std::int64_t{1} << 15;
  const Records& records_;
  Lines<Keyed> keyed_;
  const PutInCell& put_;
  std::vector<Row> rows_;  // of the cell at hand, and its values
  std::vector<double> numbers_;
  std::vector<std::int32_t> codes_;
  std::vector<std::int32_t> sampled_;
};

}  // namespace

void order_by_cells(const Records& records, std::vector<Row> rows, const PutInCell& put) {
  Splitter(records, std::move(rows), put);
}

}  // namespace shoal

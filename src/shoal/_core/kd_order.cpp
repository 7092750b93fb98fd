#include "kd_order.hpp"

#include <algorithm>
#include <cstdint>

#include "lanes.hpp"

namespace shoal {
namespace {

struct Keyed {
  double key;
  Row row;
  bool operator<(const Keyed& other) const { return key < other.key; }
};

class Splitter {
 public:
  Splitter(const Records& records, std::vector<Row>& rows) : records_(records), keyed_(rows.size()) {
    for (std::size_t i = 0; i < rows.size(); ++i) keyed_[i].row = rows[i];
    std::int64_t run = kBlock;
    while (run * kBlock < static_cast<std::int64_t>(rows.size())) run *= kBlock;
    split(0, static_cast<std::int64_t>(rows.size()), run);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = keyed_[i].row;
  }

 private:
  void split(std::int64_t begin, std::int64_t end, std::int64_t run) {
    while (end - begin <= run) {
      if (run == kBlock) return;
      run /= kBlock;
    }
    const std::int64_t runs = (end - begin + run - 1) / run;
    const std::int64_t middle = begin + runs / 2 * run;
    const int attribute = widest(begin, end);
    if (attribute < records_.number_count()) {
      for (std::int64_t i = begin; i < end; ++i) keyed_[i].key = records_.number(keyed_[i].row, attribute);
    } else {
      const int nominal = attribute - records_.number_count();
      for (std::int64_t i = begin; i < end; ++i) keyed_[i].key = records_.code(keyed_[i].row, nominal);
    }
    std::nth_element(keyed_.begin() + begin, keyed_.begin() + middle, keyed_.begin() + end);
    split(begin, middle, run);
    split(middle, end, run);
  }

  // The attribute with the greatest expected squared difference of two records, judged by a sample.
  int widest(std::int64_t begin, std::int64_t end) {
    const std::int64_t step = std::max<std::int64_t>(1, (end - begin) / kSample);
    int best = 0;
    double best_spread = -1.0;
    for (int j = 0; j < records_.number_count(); ++j) {
      const double base = records_.number(keyed_[begin].row, j);
      double sum = 0.0, squares = 0.0, count = 0.0;
      for (std::int64_t i = begin; i < end; i += step) {
        const double value = records_.number(keyed_[i].row, j) - base;
        sum += value;
        squares += value * value;
        count += 1.0;
      }
      const double spread = 2.0 * (squares - sum * sum / count) / count;
      if (spread > best_spread) {
        best_spread = spread;
        best = j;
      }
    }
    for (int j = 0; j < records_.code_count; ++j) {
      sampled_.clear();
      for (std::int64_t i = begin; i < end; i += step) sampled_.push_back(records_.code(keyed_[i].row, j));
      std::sort(sampled_.begin(), sampled_.end());
      double same = 0.0;
      for (auto first = sampled_.begin(); first != sampled_.end();) {
        const auto last = std::upper_bound(first, sampled_.end(), *first);
        same += static_cast<double>(last - first) * static_cast<double>(last - first);
        first = last;
      }
      const double count = static_cast<double>(sampled_.size());
      const double spread = records_.code_weights[j] * (1.0 - same / (count * count));
      if (spread > best_spread) {
        best_spread = spread;
        best = records_.number_count() + j;
      }
    }
    return best;
  }

  static constexpr std::int64_t kSample = 64;
  const Records& records_;
  std::vector<Keyed> keyed_;
  std::vector<std::int32_t> sampled_;
};

}  // namespace

void order_by_cells(const Records& records, std::vector<Row>& rows) { Splitter(records, rows); }

}  // namespace shoal

// What sets of records lose when each is released as its average record: mean, median or convex median, mode.
#include <algorithm>

#include "bindings.hpp"
#include "group/average_record.hpp"
#include "progress.hpp"
#include "search/record_arrays.hpp"

namespace shoal {
namespace {

class SetLoss {
 public:
  explicit SetLoss(const Records& records) : records_(records) {
    for (int j = 0; j < records.rank_count; ++j) ranks_.emplace_back(records.rank_levels[j]);
  }

  double of(std::span<const Row> set) {
    double sum = 0.0;
    for (int j = 0; j < records_.coord_count; ++j) sum += squares(set, j);
    for (int j = 0; j < records_.rank_count; ++j) sum += squares_of_ranks(set, j);
    for (int j = 0; j < records_.code_count; ++j) sum += records_.code_weights[j] * uncommon(set, j);
    return sum;
  }

 private:
  // Relative to the first record: a large offset costs no digit.
  double squares(std::span<const Row> set, int j) const {
    const double base = records_.number(set[0], j);
    double mean = 0.0, sum = 0.0;
    for (const Row row : set) mean += records_.number(row, j) - base;
    mean /= static_cast<double>(set.size());
    for (const Row row : set) {
      const double difference = records_.number(row, j) - base - mean;
      sum += difference * difference;
    }
    return sum;
  }

  double squares_of_ranks(std::span<const Row> set, int j) {
    for (const Row row : set) ranks_[j].add(records_.rank(row, j));
    const std::int32_t middle = records_.rank_convex[j] ? ranks_[j].convex_median() : ranks_[j].median();
    double sum = 0.0;
    for (const Row row : set) {
      const double steps = (records_.rank(row, j) - middle) * records_.rank_steps[j];
      sum += steps * steps;
    }
    for (const Row row : set) ranks_[j].subtract(records_.rank(row, j));
    return sum;
  }

  double uncommon(std::span<const Row> set, int j) {
    codes_.clear();
    for (const Row row : set) codes_.push_back(records_.code(row, j));
    std::sort(codes_.begin(), codes_.end());
    std::size_t most = 0;
    for (std::size_t begin = 0, i = 0; i < codes_.size(); ++i) {
      if (codes_[i] != codes_[begin]) begin = i;
      most = std::max(most, i + 1 - begin);
    }
    return static_cast<double>(codes_.size() - most);
  }

  const Records& records_;
  std::vector<RankHistogram> ranks_;
  std::vector<std::int32_t> codes_;
};

OutVector<double> run(const RecordArrays& arrays, Vector<Row> sets, std::int64_t size) {
  const Records records = arrays.view();
  std::vector<double> losses(sets.shape(0) / static_cast<std::size_t>(size));
  {
    nb::gil_scoped_release release;
    SetLoss loss(records);
    for (std::size_t i = 0; i < losses.size(); ++i) {
      losses[i] = loss.of(as_span(sets).subspan(i * static_cast<std::size_t>(size), static_cast<std::size_t>(size)));
    }
  }
  return to_numpy(std::move(losses));
}

}  // namespace

void bind_polish(nb::module_& module) {
  module.def("set_losses", &run, nb::arg("records"), nb::arg("sets"), nb::arg("size"));
}

}  // namespace shoal

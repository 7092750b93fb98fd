// MDAV by plain scans, as a careful C++ programmer would write it: what "a vectorised scan" means in the tables.
//
//   plain_scan POINTS N D K LABELS      POINTS: N*D doubles, column by column; LABELS: N 64-bit integers are written
//
// Prints the processor seconds it took. One thread, doubles only. Columns are kept without the records that have left.
// A pass computes the distances of a chunk that fits the first cache, column after column, in loops that the compiler
// vectorises; the pass around r serves its nearest records and the farthest from it alike. No images in single
// precision, no early exits, no bounds. Sums are exact and ties go to the lowest row, so that labels can be compared
// with shoal's.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>
#include <vector>

#include "../src/shoal/_core/exact_sum.hpp"

namespace {

using Column = std::vector<double>;

class Scan {
 public:
  Scan(std::vector<Column> columns, std::size_t k)
      : columns_(std::move(columns)),
        k_(k),
        rows_(columns_[0].size()),
        distances_(rows_.size()),
        labels_(rows_.size()) {
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = static_cast<std::int64_t>(i);
    sums_.resize(columns_.size());
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      for (const double value : columns_[j]) sums_[j].add(value);
    }
  }

  const std::vector<std::int64_t>& run() {
    while (rows_.size() >= 3 * k_) {
      form_group_around(farthest_from_average());
      form_group_around(farthest());  // the distances to r, from the pass before
    }
    if (rows_.size() >= 2 * k_) form_group_around(farthest_from_average());
    for (const std::int64_t row : rows_) labels_[row] = formed_;
    return labels_;
  }

 private:
  void measure(const std::vector<double>& place) {
    constexpr std::size_t kChunk = 1024;
    for (std::size_t first = 0; first < rows_.size(); first += kChunk) {
      const std::size_t count = std::min(kChunk, rows_.size() - first);
      double* __restrict out = distances_.data() + first;
      std::fill(out, out + count, 0.0);
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        const double* __restrict column = columns_[j].data() + first;
        const double value = place[j];
        for (std::size_t i = 0; i < count; ++i) out[i] += (value - column[i]) * (value - column[i]);
      }
    }
  }

  // Where the greatest distance stands; of equal ones, the lowest row.
  std::size_t farthest() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      if (distances_[i] < distances_[best]) continue;
      if (distances_[i] > distances_[best] || rows_[i] < rows_[best]) best = i;
    }
    return best;
  }

  std::size_t farthest_from_average() {
    std::vector<double> average;
    for (const shoal::ExactSum& sum : sums_) average.push_back(sum.rounded() / static_cast<double>(rows_.size()));
    measure(average);
    return farthest();
  }

  // The record at `centre` and its k-1 nearest become a group; distances of the others to it stay.
  void form_group_around(std::size_t centre) {
    std::vector<double> place;
    for (const Column& column : columns_) place.push_back(column[centre]);
    measure(place);
    distances_[centre] = -1.0;  // before any record equal to it

    struct Neighbour {
      double distance;
      std::int64_t row;
      std::size_t at;
      bool operator<(const Neighbour& other) const {
        return distance != other.distance ? distance < other.distance : row < other.row;
      }
    };
    std::vector<Neighbour> heap;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (heap.size() == k_ && distances_[i] > heap.front().distance) continue;
      const Neighbour candidate{distances_[i], rows_[i], i};
      if (heap.size() == k_) {
        if (!(candidate < heap.front())) continue;
        std::pop_heap(heap.begin(), heap.end());
        heap.pop_back();
      }
      heap.push_back(candidate);
      std::push_heap(heap.begin(), heap.end());
    }

    // From the end, so that the last record, which fills the gap, is not itself one that leaves.
    std::sort(heap.begin(), heap.end(), [](const auto& a, const auto& b) { return a.at > b.at; });
    for (const Neighbour& member : heap) {
      labels_[member.row] = formed_;
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        sums_[j].subtract(columns_[j][member.at]);
        columns_[j][member.at] = columns_[j].back();
        columns_[j].pop_back();
      }
      rows_[member.at] = rows_.back();
      rows_.pop_back();
      distances_[member.at] = distances_[rows_.size()];
    }
    ++formed_;
  }

  std::vector<Column> columns_;
  std::size_t k_;
  std::vector<std::int64_t> rows_;
  std::vector<double> distances_;
  std::vector<std::int64_t> labels_;
  std::vector<shoal::ExactSum> sums_;
  std::int64_t formed_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) return 2;
  const std::size_t n = std::strtoull(arguments[2], nullptr, 10), d = std::strtoull(arguments[3], nullptr, 10);
  std::vector<Column> columns(d, Column(n));
  std::FILE* points = std::fopen(arguments[1], "rb");
  if (points == nullptr) return 1;
  for (Column& column : columns) {
    if (std::fread(column.data(), sizeof(double), n, points) != n) return 1;
  }
  std::fclose(points);

  const std::clock_t start = std::clock();
  Scan scan(std::move(columns), std::strtoull(arguments[4], nullptr, 10));
  const std::vector<std::int64_t>& labels = scan.run();
  std::printf("%.6f\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);

  std::FILE* out = std::fopen(arguments[5], "wb");
  if (out == nullptr || std::fwrite(labels.data(), sizeof(std::int64_t), n, out) != n) return 1;
  return std::fclose(out) == 0 ? 0 : 1;
}

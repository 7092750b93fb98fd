#include "refine/loss.hpp"

#include <algorithm>
#include <numeric>

#include "group/groups.hpp"
#include "refine/categories.hpp"

namespace shoal::refine {
namespace {

std::int64_t count_of(std::span<const std::int64_t> labels) {
  return *std::max_element(labels.begin(), labels.end()) + 1;
}

}  // namespace

std::vector<double> group_losses(const Records& records, std::span<const std::int64_t> labels, std::int64_t count) {
  std::vector<double> losses(count, 0.0), means(count), sizes(count, 0.0);
  for (const std::int64_t label : labels) sizes[label] += 1.0;
  for (int j = 0; j < records.coord_count; ++j) {  // column by column, as they lie in memory
    const double* const column = records.coords + j * records.size;
    std::fill(means.begin(), means.end(), 0.0);
    for (std::int64_t i = 0; i < records.size; ++i) means[labels[i]] += column[i];
    for (std::int64_t group = 0; group < count; ++group) means[group] /= sizes[group];
    for (std::int64_t i = 0; i < records.size; ++i) {
      const double away = column[i] - means[labels[i]];
      losses[labels[i]] += away * away;
    }
  }
  if (records.rank_count + records.code_count > 0) {
    std::vector<Row> rows(records.size);
    std::iota(rows.begin(), rows.end(), Row{0});
    Categories categories(records, rows, 1.0);
    const Groups groups(labels, count);
    for (std::int64_t group = 0; group < count; ++group) losses[group] += categories.cost(groups[group]);
  }
  return losses;
}

double loss_of(const Records& records, std::span<const std::int64_t> labels) {
  const std::vector<double> losses = group_losses(records, labels, count_of(labels));
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

std::vector<std::int64_t> better_of(const Records& records, std::span<const std::int64_t> first,
                                    std::span<const std::int64_t> second) {
  const std::int64_t split = count_of(first), count = split + count_of(second);
  // Groups of the second partition stand after those of the first; the root of each part is one of the first.
  std::vector<std::int32_t> parent(count);
  std::iota(parent.begin(), parent.end(), std::int32_t{0});
  const auto root = [&parent](std::int64_t group) {
    while (parent[group] != group) group = parent[group] = parent[parent[group]];
    return group;
  };
  for (std::size_t row = 0; row < first.size(); ++row) {
    parent[root(split + second[row])] = static_cast<std::int32_t>(root(first[row]));
  }

  const auto by_part = [&](std::span<const std::int64_t> labels, std::int64_t begin, std::int64_t end) {
    std::vector<double> sums(split, 0.0);
    const std::vector<double> losses = group_losses(records, labels, end - begin);
    for (std::int64_t group = begin; group < end; ++group) sums[root(group)] += losses[group - begin];
    return sums;
  };
  const std::vector<double> old_loss = by_part(first, 0, split), new_loss = by_part(second, split, count);

  constexpr double kRounding = 1e-12;
  std::vector<std::int32_t> number(count, -1);
  std::vector<std::int64_t> labels(first.size());
  std::int32_t numbered = 0;
  for (std::size_t row = 0; row < first.size(); ++row) {
    const std::int64_t part = root(first[row]);
    const bool better = new_loss[part] < old_loss[part] * (1.0 - kRounding);
    std::int32_t& given = number[better ? split + second[row] : first[row]];
    if (given < 0) given = numbered++;
    labels[row] = given;
  }
  return labels;
}

}  // namespace shoal::refine

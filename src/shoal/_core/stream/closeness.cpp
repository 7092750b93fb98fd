#include "stream/closeness.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace shoal::stream {

void RunningDistribution::add(double value) {
  ++total_;
  if (nominal_) {
    const auto [entry, fresh] = categories_.try_emplace(value, counts_.size());
    if (!fresh) {
      ++counts_[entry->second];
    } else if (counts_.size() < kMost) {
      counts_.push_back(1);
      lows_.push_back(value);
    } else {
      categories_.erase(entry);
      ++counts_.back();
    }
    return;
  }
  const auto place = std::lower_bound(highs_.begin(), highs_.end(), value) - highs_.begin();
  if (place < static_cast<std::ptrdiff_t>(counts_.size()) && lows_[place] <= value) {
    ++counts_[place];
    return;
  }
  counts_.insert(counts_.begin() + place, 1);
  lows_.insert(lows_.begin() + place, value);
  highs_.insert(highs_.begin() + place, value);
  if (counts_.size() > kMost) merge_least();
}

void RunningDistribution::merge_least() {
  std::size_t least = 0;
  for (std::size_t i = 1; i + 1 < counts_.size(); ++i)
    if (counts_[i] + counts_[i + 1] < counts_[least] + counts_[least + 1]) least = i;
  counts_[least] += counts_[least + 1];
  highs_[least] = highs_[least + 1];
  counts_.erase(counts_.begin() + least + 1);
  lows_.erase(lows_.begin() + least + 1);
  highs_.erase(highs_.begin() + least + 1);
}

std::size_t RunningDistribution::bin(double value) const {
  if (nominal_) {
    const auto entry = categories_.find(value);
    return entry == categories_.end() ? counts_.size() - 1 : entry->second;
  }
  return std::lower_bound(highs_.begin(), highs_.end(), value) - highs_.begin();
}

Wide RunningDistribution::work(const std::vector<std::int64_t>& members, std::int64_t group) const {
  Wide sum = 0;
  if (nominal_) {
    for (std::size_t i = 0; i < counts_.size(); ++i) sum += absolute(surplus(members[i], group, counts_[i], total_));
    return sum;
  }
  std::int64_t inside = 0, all = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    inside += members[i];
    all += counts_[i];
    sum += absolute(surplus(inside, group, all, total_));
  }
  return sum;
}

Wide RunningDistribution::unit(std::int64_t group) const {
  const auto steps = std::max<std::int64_t>(static_cast<std::int64_t>(counts_.size()) - 1, 1);
  return work_unit(group, total_, nominal_ ? 2 : steps);
}

// Nominal: what the stream has in other bins has to be moved. Ordered: the group's share at or below a position stays the
// same from one bin that it may have to the next, and costs least there at the median of the stream's shares, which grow.
Wide RunningDistribution::least_work(const std::vector<char>& present) const {
  Wide sum = 0;
  if (nominal_) {
    for (std::size_t i = 0; i < counts_.size(); ++i) sum += present[i] ? 0 : 2 * counts_[i];
    return sum;
  }
  std::vector<std::int64_t> below(counts_.size());
  std::partial_sum(counts_.begin(), counts_.end(), below.begin());
  std::int64_t share = 0;
  for (std::size_t first = 0, last = 0; first < below.size(); first = last) {
    for (last = first + 1; last < below.size() && !present[last];) ++last;
    if (present[first]) share = last < below.size() ? below[(first + last - 1) / 2] : total_;
    for (std::size_t i = first; i < last; ++i) sum += std::abs(below[i] - share);
  }
  return sum;
}

double RunningDistribution::distance(const std::vector<std::int64_t>& members, std::int64_t group) const {
  if (counts_.size() < 2) return 0.0;
  const auto gap = [&](std::int64_t inside, std::int64_t all) {
    return std::abs(static_cast<double>(inside) / static_cast<double>(group) -
                    static_cast<double>(all) / static_cast<double>(total_));
  };
  double sum = 0.0;
  if (nominal_) {
    for (std::size_t i = 0; i < counts_.size(); ++i) sum += gap(members[i], counts_[i]);
    return sum / 2;
  }
  std::int64_t inside = 0, all = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    inside += members[i];
    all += counts_[i];
    sum += gap(inside, all);
  }
  return sum / static_cast<double>(counts_.size() - 1);
}

void RunningDistribution::preview(const std::vector<std::int64_t>& members, std::int64_t group,
                                  Preview& preview) const {
  const std::size_t bins = counts_.size();
  const double grown = 1.0 / static_cast<double>(group + 1), share = 1.0 / static_cast<double>(total_);
  const auto gap = [&](std::int64_t inside, std::int64_t all) {
    return std::abs(static_cast<double>(inside) * grown - static_cast<double>(all) * share);
  };
  preview.before.assign(bins + 1, 0.0);
  preview.after.assign(bins + 1, 0.0);
  if (nominal_) {
    double sum = 0.0;
    for (std::size_t i = 0; i < bins; ++i) sum += gap(members[i], counts_[i]);
    for (std::size_t i = 0; i < bins; ++i) {
      preview.after[i] = sum - gap(members[i], counts_[i]) + gap(members[i] + 1, counts_[i]);
    }
    return;
  }
  std::int64_t inside = 0, all = 0;
  for (std::size_t i = 0; i < bins; ++i) {
    inside += members[i];
    all += counts_[i];
    preview.before[i + 1] = preview.before[i] + gap(inside, all);
    preview.after[i] = gap(inside + 1, all);
  }
  for (std::size_t i = bins; i-- > 0;) preview.after[i] += preview.after[i + 1];
}

double RunningDistribution::distance_with(double value, const Preview& preview) const {
  if (counts_.size() < 2) return 0.0;
  const std::size_t place = bin(value);
  if (nominal_) return preview.after[place] / 2;
  return (preview.before[place] + preview.after[place]) / static_cast<double>(counts_.size() - 1);
}

void RunningDistribution::save(StateWriter& state) const {
  state.put(total_);
  state.put(counts_);
  state.put(lows_);
  state.put(highs_);
}

void RunningDistribution::load(StateReader& state) {
  total_ = state.get<std::int64_t>();
  state.get(counts_);
  state.get(lows_);
  state.get(highs_);
  categories_.clear();
  if (nominal_)
    for (std::size_t i = 0; i < lows_.size(); ++i) categories_[lows_[i]] = i;
}

void Closeness::weigh(const std::vector<double>& values) {
  members_.resize(attributes_.size());
  for (std::size_t c = 0; c < attributes_.size(); ++c) members_[c].assign(attributes_[c].bins(), 0);
  group_ = 0;
  for (std::size_t i = 0; i < values.size(); i += attributes_.size()) add(values.data() + i);
}

bool Closeness::in_reach(const Buffer& buffer, const std::vector<Position>& tuples) {
  for (std::size_t c = 0; c < attributes_.size(); ++c) {
    present_.assign(attributes_[c].bins(), 0);
    for (const Position position : tuples) present_[attributes_[c].bin(buffer.confidential(position)[c])] = 1;
    if (!threshold(c).allows(attributes_[c].least_work(present_), attributes_[c].unit(1))) return false;
  }
  return true;
}

}  // namespace shoal::stream

#include "stream/closeness.hpp"

#include <algorithm>
#include <cmath>

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

void RunningDistribution::save(StateWriter& state) const {
  state.put(total_);
  state.put(counts_);
  state.put(lows_);
  state.put(highs_);
}

void RunningDistribution::load(StateReader& state, std::int64_t arrived) {
  total_ = state.get<std::int64_t>();
  state.get(counts_);
  state.get(lows_, counts_.size());
  state.get(highs_, nominal_ ? 0 : counts_.size());
  StateReader::require(total_ == arrived && counts_.size() <= kMost);
  std::int64_t sum = 0;
  for (const auto count : counts_) {
    StateReader::require(count >= 1 && count <= total_ - sum);
    sum += count;
  }
  StateReader::require(sum == total_);
  categories_.clear();
  for (std::size_t i = 0; i < lows_.size(); ++i) {
    StateReader::require(std::isfinite(lows_[i]));
    if (nominal_) {
      StateReader::require(categories_.try_emplace(lows_[i], i).second);
    } else {
      StateReader::require(std::isfinite(highs_[i]) && lows_[i] <= highs_[i] && (i == 0 || highs_[i - 1] < lows_[i]));
    }
  }
}

bool RunningDistribution::has(double value) const {
  if (nominal_) return std::isfinite(value) && (categories_.find(value) != categories_.end() || counts_.size() == kMost);
  const auto place = static_cast<std::size_t>(std::lower_bound(highs_.begin(), highs_.end(), value) - highs_.begin());
  return std::isfinite(value) && place < counts_.size() && lows_[place] <= value;
}

void Closeness::weigh(const std::vector<double>& values) {
  members_.resize(attributes_.size());
  for (std::size_t c = 0; c < attributes_.size(); ++c) members_[c].assign(attributes_[c].bins(), 0);
  group_ = 0;
  for (std::size_t i = 0; i < values.size(); i += attributes_.size()) add(values.data() + i);
}

}  // namespace shoal::stream

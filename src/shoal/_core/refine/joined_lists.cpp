#include "refine/joined_lists.hpp"

#include <algorithm>
#include <numeric>

#include "parallel.hpp"
#include "refine/random.hpp"

namespace shoal::refine {
namespace {

constexpr int kTrees = 4;
constexpr std::int64_t kLeaf = 64;  // records of which all pairs are looked at
constexpr int kRounds = 3;
constexpr std::int64_t kWorthWhile = 2048;
constexpr std::size_t kParts = 16;      // of a cut, worked on at the same time
constexpr std::int64_t kAtOnce = 8192;  // places for each worker between two ticks

}  // namespace

JoinedLists::JoinedLists(const FloatRecords& records, int length, Progress& progress)
    : records_(records),
      size_(records.size()),
      length_(std::min(length, kLongest)),
      lists_(static_cast<std::size_t>(size_) * length_),
      counts_(size_),
      fresh_(size_),
      order_(size_),
      margins_(size_) {
  for (int tree = 0; tree < kTrees; ++tree) cut_all(tree, progress);
  for (int round = 0; round < kRounds; ++round) join(progress);
}

// Puts a place into a list if it is near enough and not there.
bool JoinedLists::offer(std::int64_t place, float distance, std::int32_t other) {
  Near* const list = lists_.data() + place * length_;
  int count = counts_[place];
  const auto is_before = [&](const Near& near) {
    return near.distance != distance ? near.distance < distance : near.place < other;
  };
  if (count == length_ && is_before(list[count - 1])) return false;
  int at = count;
  while (at > 0 && !is_before(list[at - 1])) --at;
  if (at < count && list[at].place == other) return false;
  if (count < length_) counts_[place] = static_cast<std::uint8_t>(++count);
  std::move_backward(list + at, list + count - 1, list + count);
  list[at] = {distance, other};
  const std::uint32_t below = (std::uint32_t{1} << at) - 1;
  fresh_[place] = (fresh_[place] & below) | (std::uint32_t{1} << at) | ((fresh_[place] & ~below) << 1);
  return true;
}

std::size_t JoinedLists::workers() const { return workers_for(static_cast<std::size_t>(size_), kWorthWhile); }

void JoinedLists::cut_all(int tree, Progress& progress) {
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<std::pair<std::int64_t, std::int64_t>> parts{{0, size_}};
  while (parts.size() < kParts && parts.front().second - parts.front().first > 4 * kLeaf) {
    std::vector<std::pair<std::int64_t, std::int64_t>> halves;
    for (const auto& [begin, end] : parts) {
      const std::int64_t middle = halve(tree, begin, end);
      halves.push_back({begin, middle});
      halves.push_back({middle, end});
    }
    parts = std::move(halves);
    progress.tick(0);
  }
  const std::size_t count = workers();
  in_parallel(count, [&](std::size_t worker) {
    for (std::size_t i = worker; i < parts.size(); i += count) cut(tree, parts[i].first, parts[i].second);
  });
  progress.tick(0);
}

// Puts the half of some places that is nearer to one of two of them first.
std::int64_t JoinedLists::halve(int tree, std::int64_t begin, std::int64_t end) {
  Random random((static_cast<std::uint64_t>(tree) << 56) ^ (static_cast<std::uint64_t>(begin) << 28) ^
                static_cast<std::uint64_t>(end));
  const auto pick = [&] {
    return order_[begin + static_cast<std::int64_t>(random.uniform() * static_cast<double>(end - begin))];
  };
  const std::int32_t one = pick(), other = pick();
  for (std::int64_t i = begin; i < end; ++i) {
    margins_[i] = {records_.apart(order_[i], one) - records_.apart(order_[i], other), order_[i]};
  }
  const std::int64_t middle = begin + (end - begin) / 2;
  std::nth_element(margins_.begin() + begin, margins_.begin() + middle, margins_.begin() + end);
  for (std::int64_t i = begin; i < end; ++i) order_[i] = margins_[i].second;
  return middle;
}

void JoinedLists::cut(int tree, std::int64_t begin, std::int64_t end) {
  if (end - begin <= kLeaf) return compare_all(begin, end);
  const std::int64_t middle = halve(tree, begin, end);
  cut(tree, begin, middle);
  cut(tree, middle, end);
}

void JoinedLists::compare_all(std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    for (std::int64_t j = begin; j < i; ++j) {
      const float distance = records_.apart(order_[i], order_[j]);
      offer(order_[i], distance, order_[j]);
      offer(order_[j], distance, order_[i]);
    }
  }
}

// One round: the neighbours of neighbours, as they were before it.
void JoinedLists::join(Progress& progress) {
  std::vector<std::int32_t> before(lists_.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::size_t place = i / length_, at = i % length_;
    before[i] = at < counts_[place] ? lists_[i].place * 2 + static_cast<std::int32_t>((fresh_[place] >> at) & 1) : -1;
  }
  std::fill(fresh_.begin(), fresh_.end(), 0);
  const auto count = static_cast<std::int64_t>(workers());
  std::vector<std::vector<std::int32_t>> seen(count, std::vector<std::int32_t>(size_, -1));
  for (std::int64_t begin = 0; begin < size_; begin += count * kAtOnce) {
    const std::int64_t end = std::min(begin + count * kAtOnce, size_);
    in_parallel(static_cast<std::size_t>(count), [&](std::size_t worker) {
      const auto share = static_cast<std::int64_t>(worker);
      join(begin + (end - begin) * share / count, begin + (end - begin) * (share + 1) / count, before, seen[worker]);
    });
    progress.tick(0);
  }
}

void JoinedLists::join(std::int64_t begin, std::int64_t end, std::span<const std::int32_t> before,
                       std::vector<std::int32_t>& seen) {
  for (std::int64_t place = begin; place < end; ++place) {
    const auto mark = static_cast<std::int32_t>(place);
    const auto own = before.subspan(place * length_, length_);
    seen[place] = mark;
    for (const std::int32_t near : own) {
      if (near >= 0) seen[near / 2] = mark;
    }
    for (const std::int32_t near : own) {
      if (near < 0) break;
      for (const std::int32_t next : before.subspan(static_cast<std::int64_t>(near / 2) * length_, length_)) {
        if (next < 0) break;
        if (((near | next) & 1) == 0 || seen[next / 2] == mark) continue;
        seen[next / 2] = mark;
        offer(place, records_.apart(place, next / 2), next / 2);
      }
    }
  }
}

}  // namespace shoal::refine

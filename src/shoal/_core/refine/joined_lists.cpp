#include "refine/joined_lists.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "parallel.hpp"
#include "refine/random.hpp"

namespace shoal::refine {
namespace {

constexpr int kTrees = 6;
constexpr std::int64_t kLeaf = 512;  // records of which all pairs are looked at
constexpr int kRounds = 2;
constexpr int kLooked = 12;  // of the neighbours of a record, and of theirs, in a round
constexpr std::size_t kParts = 16;  // of a cut, worked on at the same time

}  // namespace

class JoinedLists::Leaf {
 public:
  // Takes the records at some places.
  void take(const FloatRecords& records, std::span<const std::int32_t> places) {
    const std::size_t width = records.numbers(0).size();
    room_ = (places.size() + kStep - 1) / kStep * kStep;
    columns_.assign(width * room_, 0.0F);
    codes_.clear();
    weights_ = records.code_weights();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto numbers = records.numbers(places[i]);
      for (std::size_t j = 0; j < width; ++j) columns_[j * room_ + i] = numbers[j];
      const auto codes = records.codes(places[i]);
      codes_.insert(codes_.end(), codes.begin(), codes.end());
    }
    distances_.resize(room_);
    limits.resize(places.size());
  }

  // Squared distances of one of them to all before it.
  std::span<const float> distances(std::size_t one) {
    const std::size_t width = columns_.size() / room_;
    for (std::size_t i = 0; i < one; i += kStep) {
      Four sum = four_of(0.0F), next = sum;
      for (std::size_t j = 0; j < width; ++j) {
        const float* const column = columns_.data() + j * room_;
        const Four here = four_of(column[one]);
        const Four v = load(column + i) - here, w = load(column + i + kLanes) - here;
        sum = sum + v * v;
        next = next + w * w;
      }
      store(sum, distances_.data() + i);
      store(next, distances_.data() + i + kLanes);
    }
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      for (std::size_t i = 0; i < one; ++i) {
        if (codes_[i * weights_.size() + j] != codes_[one * weights_.size() + j]) distances_[i] += weights_[j];
      }
    }
    return {distances_.data(), one};
  }

  std::vector<float> limits;  // of each: the greatest distance of its list, within which others are offered

 private:
  static constexpr std::size_t kStep = 2 * kLanes;

  std::size_t room_ = 0;
  std::vector<float> columns_, distances_;
  std::vector<std::int32_t> codes_;
  std::span<const float> weights_;  // of codes
};

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

// Beyond this distance nobody comes into a list.
float JoinedLists::limit(std::int64_t place) const {
  return counts_[place] < length_ ? std::numeric_limits<float>::infinity() : lists_[(place + 1) * length_ - 1].distance;
}

std::size_t JoinedLists::workers() const { return workers_for(static_cast<std::size_t>(size_), kLeastLists); }

void JoinedLists::cut_all(int tree, Progress& progress) {
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<std::pair<std::int64_t, std::int64_t>> parts{{0, size_}};
  if (tree == 0) {  // the order they come in is as good as a tree
    parts.clear();
    for (std::int64_t begin = 0; begin < size_; begin += kLeaf) parts.push_back({begin, std::min(begin + kLeaf, size_)});
  }
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
    Leaf leaf;
    for (std::size_t i = worker; i < parts.size(); i += count) cut(tree, parts[i].first, parts[i].second, leaf);
  });
  progress.tick(0);
}

// Puts the half of some places first that lies to one side, along the line between two of them.
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

void JoinedLists::cut(int tree, std::int64_t begin, std::int64_t end, Leaf& leaf) {
  if (end - begin <= kLeaf) return compare_all(begin, end, leaf);
  const std::int64_t middle = halve(tree, begin, end);
  cut(tree, begin, middle, leaf);
  cut(tree, middle, end, leaf);
}

void JoinedLists::compare_all(std::int64_t begin, std::int64_t end, Leaf& leaf) {
  const auto places = std::span(order_).subspan(begin, end - begin);
  leaf.take(records_, places);
  for (std::size_t i = 0; i < places.size(); ++i) leaf.limits[i] = limit(places[i]);
  for (std::size_t i = 1; i < places.size(); ++i) {
    const std::span<const float> distances = leaf.distances(i);
    for (std::size_t j = 0; j < i; ++j) {
      if (distances[j] > leaf.limits[i] && distances[j] > leaf.limits[j]) continue;
      if (offer(places[i], distances[j], places[j])) leaf.limits[i] = limit(places[i]);
      if (offer(places[j], distances[j], places[i])) leaf.limits[j] = limit(places[j]);
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
  for (std::int64_t begin = 0; begin < size_; begin += count * kListsAtOnce) {
    const std::int64_t end = std::min(begin + count * kListsAtOnce, size_);
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
    const auto looked = static_cast<std::size_t>(std::min(length_, kLooked));
    for (const std::int32_t near : own.first(looked)) {
      if (near < 0) break;
      for (const std::int32_t next : before.subspan(static_cast<std::int64_t>(near / 2) * length_, looked)) {
        if (next < 0) break;
        if (((near | next) & 1) == 0 || seen[next / 2] == mark) continue;
        seen[next / 2] = mark;
        offer(place, records_.apart(place, next / 2), next / 2);
      }
    }
  }
}

}  // namespace shoal::refine

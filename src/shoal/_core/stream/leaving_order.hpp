// In which order the tuples of a group leave: one that tells nothing of the order in which they came.
//
// What is shuffled by a seed that others know can be shuffled back, and the plan's seed may be published. So the stream
// itself is the secret: every tuple that came is hashed into a running state (SipHash-2-4, Aumasson and Bernstein 2012,
// of records of fixed width, so that their number needs no place in it), and the tuples of a group leave by the hash of
// their positions under the state at that moment. The same plan and the same tuples give the same order, also after
// a restart.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "stream/rows.hpp"
#include "stream/state.hpp"

namespace shoal::stream {

class LeavingOrder {
 public:
  explicit LeavingOrder(std::int64_t seed) {
    const auto key = static_cast<std::uint64_t>(seed);
    constexpr std::uint64_t kPurpose = 0x6f7264657220206fu;
    v_ = {key ^ 0x736f6d6570736575u, kPurpose ^ 0x646f72616e646f6du, key ^ 0x6c7967656e657261u,
          kPurpose ^ 0x7465646279746573u};
  }

  // One value of a tuple that came. Every missing cell is the same.
  void arrive(double value) { compress(v_, std::isnan(value) ? kMissing : std::bit_cast<std::uint64_t>(value)); }
  void arrive(std::int64_t value) { compress(v_, static_cast<std::uint64_t>(value)); }

  // The tuples of a group, in the order in which they leave.
  const std::vector<Position>& ordered(const std::vector<Position>& group) {
    keyed_.clear();
    for (const Position position : group) keyed_.emplace_back(key(position), position);
    std::sort(keyed_.begin(), keyed_.end());
    positions_.clear();
    for (const auto& entry : keyed_) positions_.push_back(entry.second);
    return positions_;
  }

  void save(StateWriter& state) const {
    for (const auto word : v_) state.put(word);
  }
  void load(StateReader& state) {
    for (auto& word : v_) word = state.get<std::uint64_t>();
  }

 private:
  using State = std::array<std::uint64_t, 4>;
  static constexpr std::uint64_t kMissing = 0x7ff8000000000000u;

  std::uint64_t key(Position position) const {
    State v = v_;
    compress(v, static_cast<std::uint64_t>(position));
    v[2] ^= 0xff;
    for (int i = 0; i < 4; ++i) round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
  }

  static void compress(State& v, std::uint64_t word) {
    v[3] ^= word;
    round(v);
    round(v);
    v[0] ^= word;
  }

  static void round(State& v) {
    v[0] += v[1];
    v[1] = std::rotl(v[1], 13) ^ v[0];
    v[0] = std::rotl(v[0], 32);
    v[2] += v[3];
    v[3] = std::rotl(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = std::rotl(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = std::rotl(v[1], 17) ^ v[2];
    v[2] = std::rotl(v[2], 32);
  }

  State v_;
  std::vector<std::pair<std::uint64_t, Position>> keyed_;
  std::vector<Position> positions_;
};

}  // namespace shoal::stream

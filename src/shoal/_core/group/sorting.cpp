#include "group/sorting.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "parallel.hpp"
#include "tuning.hpp"

namespace shoal {
namespace {

// Unsigned integers in the order of the doubles they stand for. Negative zero becomes zero, as they are equal.
std::uint64_t to_key(double value) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits & sign) ? ~bits : bits | sign;
}

double from_key(std::uint64_t key) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return std::bit_cast<double>((key & sign) ? key ^ sign : ~key);
}

}  // namespace

template <class Index>
Sorted<Index> sort_stably(std::span<const double> source, const std::function<void(double)>& tick) {
  const std::size_t n = source.size();
  constexpr int digit_bits = tuning::kDigitBits;
  constexpr std::size_t buckets = std::size_t{1} << digit_bits;
  constexpr std::uint64_t mask = buckets - 1;

  const std::size_t workers = workers_for(n, tuning::kShareLeast);
  const auto each_share = [&](const auto& work) {
    in_parallel(workers, [&](std::size_t worker) { work(worker, n * worker / workers, n * (worker + 1) / workers); });
  };

  auto keys = make_buffer<std::uint64_t>(n);
  auto order = make_buffer<Index>(n);
  struct Bits {
    std::uint64_t any = 0;
    std::uint64_t all = ~std::uint64_t{0};
  };
  std::vector<Bits> bits(workers);
  each_share([&](std::size_t worker, std::size_t begin, std::size_t end) {
    Bits seen;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t key = to_key(source[i]);
      seen.any |= key;
      seen.all &= key;
      keys[i] = key;
      order[i] = static_cast<Index>(i);
    }
    bits[worker] = seen;
  });
  Bits seen;
  for (const Bits& share : bits) seen = {seen.any | share.any, seen.all & share.all};
  const std::uint64_t varying = seen.any & ~seen.all;

  auto spare_keys = make_buffer<std::uint64_t>(n);
  auto spare_order = make_buffer<Index>(n);
  std::vector<std::array<std::size_t, buckets>> places(workers);
  for (int shift = 0; shift < 64; shift += digit_bits) {
    if (((varying >> shift) & mask) == 0) continue;  // every key has the same digit here
    tick(static_cast<double>(shift) / 64.0);
    each_share([&](std::size_t worker, std::size_t begin, std::size_t end) {
      auto& count = places[worker];
      count.fill(0);
      for (std::size_t i = begin; i < end; ++i) ++count[(keys[i] >> shift) & mask];
    });
    std::size_t next = 0;  // in each bucket, a worker's share comes after those of the workers before it: stable
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      for (auto& place : places) next += std::exchange(place[bucket], next);
    }
    each_share([&](std::size_t worker, std::size_t begin, std::size_t end) {
      auto& place = places[worker];
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t to = place[(keys[i] >> shift) & mask]++;
        spare_keys[to] = keys[i];
        spare_order[to] = order[i];
      }
    });
    std::swap(keys, spare_keys);
    std::swap(order, spare_order);
  }
  tick(1.0);

  spare_keys.reset();
  spare_order.reset();
  auto values = make_buffer<double>(n);
  each_share([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = from_key(keys[i]);
  });
  return {std::move(values), std::move(order)};
}

template Sorted<std::uint32_t> sort_stably(std::span<const double>, const std::function<void(double)>&);
template Sorted<std::uint64_t> sort_stably(std::span<const double>, const std::function<void(double)>&);

}  // namespace shoal

// Sorting doubles stably, with the position each one came from: a radix sort shared by the workers of parallel.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace shoal {

// Memory that is about to be written anyway is not cleared first.
template <class T>
using Buffer = std::unique_ptr<T[]>;

template <class T>
Buffer<T> make_buffer(std::size_t size) {
  return Buffer<T>(new T[size]);
}

// Values in increasing order; order[i] is the position that values[i] had before. Equal values keep their order.
template <class Index>
struct Sorted {
  Buffer<double> values;
  Buffer<Index> order;
};

// Index: an unsigned integer of 32 or 64 bits that holds the number of values. `tick(share done)` is called by the
// calling thread between passes, and may throw.
template <class Index>
Sorted<Index> sort_stably(std::span<const double> source, const std::function<void(double)>& tick);

}  // namespace shoal

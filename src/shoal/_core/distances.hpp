// Squared distances from one place to blocks of records, vectorised for the processor at hand.
//
// Records are kept in blocks of 32: inside a block each attribute is one contiguous run of 32 values, so that a
// distance loop is a loop over lanes, and a pass over many blocks is one stream through memory. The loops are
// plain C++ that the compiler vectorises; distances_isa.inl holds them and is compiled once per instruction set.
// All versions add in the same order without fused multiply-add, so they agree to the last bit.
#pragma once

#include <cstdint>

namespace shoal {

inline constexpr int kBlock = 32;

// Where to measure from. Attributes in the order of Records: numbers first, then nominal codes.
struct Query {
  const double* numbers;
  int number_count;
  const std::int32_t* codes;
  const double* code_weights;
  int code_count;
};

// The distances that are worth a look: at most `near` or at least `far`.
struct Bounds {
  double near;
  double far;
};

struct DistanceKernels {
  // Writes the squared distances to the 32 records of one block.
  void (*block)(const double* numbers, const std::int32_t* codes, const Query& query, double* out);

  // Goes through blocks first..last-1 until one has a distance within the bounds; returns it with its distances in
  // `out`, or `last`.
  std::int64_t (*seek)(const double* numbers, const std::int32_t* codes, std::int64_t first, std::int64_t last,
                       const Query& query, Bounds bounds, double* out);
};

// The fastest kernels this processor can run, specialised for the number of numeric attributes.
DistanceKernels distance_kernels(int number_count);

}  // namespace shoal

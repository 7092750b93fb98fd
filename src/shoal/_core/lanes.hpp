// Arithmetic on 32 lanes at a time, vectorised for the processor at hand.
//
// Records, and the boxes around them, are kept in blocks of 32: inside a block each attribute is one contiguous run of
// 32 values, so that every loop here is a loop over lanes, and a pass over many blocks is one stream through memory.
// The loops are plain C++ that the compiler vectorises; lanes_isa.inl holds them and is compiled once per instruction
// set. All versions add in the same order without fused multiply-add, so they agree to the last bit.
#pragma once

#include <cstdint>

namespace shoal {

inline constexpr int kBlock = 32;

using Lanes = std::uint32_t;  // one bit per lane

// Where to measure from. Attributes in the order of Records: numbers first, then nominal codes.
struct Query {
  const double* numbers;
  int number_count;
  const std::int32_t* codes;
  const double* code_weights;
  int code_count;
};

// 32 boxes: the least and the greatest value of each number and the set of codes of each nominal attribute among
// the records inside. Codes are hashed to 64 bits; the set may claim codes that are not there, never miss one.
struct Boxes {
  const double* low;          // number_count runs of 32
  const double* high;         // number_count runs of 32
  const double* norm;         // 32: greatest squared distance of a record inside to the tree's centre
  const std::uint64_t* sets;  // code_count runs of 32
};

// A query for the farthest record, and the point opposite to it as far_boxes needs it (see KdTree::far_query).
struct FarQuery {
  Query query;
  const double* antipode;  // null: bound by the corners of the boxes instead
  double growth, base, slope;
};

struct LaneKernels {
  // Squared distances to the 32 records of a block.
  void (*distances)(const double* numbers, const std::int32_t* codes, const Query& query, double* out);

  // The same, and the lanes whose distance is at most (at least) `bound`.
  Lanes (*near)(const double* numbers, const std::int32_t* codes, const Query& query, double bound, double* out);
  Lanes (*far)(const double* numbers, const std::int32_t* codes, const Query& query, double bound, double* out);

  // Goes through blocks first..last-1 until one has a distance at most `near` or at least `far`; returns it with its
  // distances in `out`, or `last`.
  std::int64_t (*seek)(const double* numbers, const std::int32_t* codes, std::int64_t first, std::int64_t last,
                       const Query& query, double near, double far, double* out);

  // Lower bounds of the distances to the records in each of 32 boxes, and the lanes where it is at most `bound`.
  Lanes (*near_boxes)(const Boxes& boxes, const Query& query, double bound, double* out);

  // Upper bounds of the distances to the records in each of 32 boxes, and the lanes where it is at least `bound`.
  Lanes (*far_boxes)(const Boxes& boxes, const FarQuery& query, double bound, double* out);

  // The lanes whose value is at most (at least) `bound`.
  Lanes (*at_most)(const double* values, double bound);
  Lanes (*at_least)(const double* values, double bound);

  // Least and greatest of the first `count` lanes (at least one) of each of `runs` runs.
  void (*extent)(const double* low, const double* high, int runs, int count, double* least, double* greatest);
};

// The fastest kernels this processor can run, specialised for the number of numeric attributes.
LaneKernels lane_kernels(int number_count);

}  // namespace shoal

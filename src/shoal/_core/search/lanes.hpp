// Arithmetic on 32 lanes at a time, vectorised for the processor at hand.
//
// Records, their images (sketch.hpp) and the boxes around these are kept in blocks of 32: inside a block each attribute
// is one contiguous run of 32 values, so that every loop here is a loop over lanes, and a pass over many blocks is
// one stream through memory. The loops are plain C++ that the compiler vectorises; lanes_isa.inl holds them and is
// compiled once per instruction set. Distances of records are added in one order without fused multiply-add, so that
// all versions agree to the last bit.
#pragma once

#include <cstdint>

namespace shoal {

inline constexpr int kBlock = 32;

inline constexpr std::int64_t kRowLanes = 8;  // doubles of the widest register, and one cache line

using Lanes = std::uint32_t;  // one bit per lane

// Where to measure from, for the time of one call: the arrays belong to a Place or a SketchedPlace. T is double among
// records and float among images. Attributes are in the order of Records: numbers first, then nominal codes.
template <class T>
struct QueryOf {
  const T* numbers;
  int number_count;
  const std::int32_t* codes;
  const T* code_weights;
  int code_count;
};
using Query = QueryOf<double>;
using ImageQuery = QueryOf<float>;

// 32 boxes around images: the least and the greatest of each number, the set of codes of each nominal attribute, and
// the greatest squared norm inside. Codes are hashed to 64 bits; a set may claim codes that are not there, never
// miss one.
struct Boxes {
  const float* low;           // number_count runs of 32
  const float* high;          // number_count runs of 32
  const float* norm;          // 32
  const std::uint64_t* sets;  // code_count runs of 32
};

// A block whose numbers are coded in bytes (coded_blocks.hpp): code c of number j stands for low[j] + step * c.
struct CodedBlock {
  const float* low;
  float step, inverse;        // inverse: 1 / step
  const std::uint8_t* codes;  // number_count runs of 32 for images; for boxes those of `low`, then those of `high`
};

// A query for the farthest image, and the point opposite to it (see KdTree::far_query).
struct FarQuery {
  ImageQuery query;
  const std::int32_t* code_levels;  // how many codes each nominal attribute has
  const float* antipode;
  float growth, base, slope;
};

// Codes bit by bit (plane_scan.hpp): a plane has one bit of 512 records, in eight words. Sums of what codes count have
// at most so many binary digits.
inline constexpr int kPlaneWords = 8;
inline constexpr int kMostDigits = 8;

// A place among planes, and what differing from it counts.
struct PlaneQuery {
  const std::uint64_t* bits;   // of the place, plane by plane: all ones or all zeros
  const std::int32_t* widths;  // planes of each attribute
  const std::uint8_t* shares;  // what each attribute counts; null where all that have planes count one
  int code_count;
  int plane_count;  // of a block: who is left, and those of the attributes
  int none;         // more than any sum
};

// Sums below `sum` are looked for, or those from it on; in blocks without a row up to `row`, one less, or more.
struct PlaneLimit {
  int sum;
  std::int32_t row;
  bool beyond;

  bool operator==(const PlaneLimit&) const = default;
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

  // The same among images, without the distances.
  std::int64_t (*seek_images)(const float* numbers, const std::int32_t* codes, std::int64_t first, std::int64_t last,
                              const ImageQuery& query, float near, float far);

  // The same for near ones alone, giving a block up early where it can.
  std::int64_t (*seek_near_images)(const float* numbers, const std::int32_t* codes, std::int64_t first,
                                   std::int64_t last, const ImageQuery& query, float near);

  // The lanes of a block whose image is at a distance of at most (at least) `limit`.
  Lanes (*near_images)(const float* numbers, const std::int32_t* codes, const ImageQuery& query, float limit);
  Lanes (*far_images)(const float* numbers, const std::int32_t* codes, const ImageQuery& query, float limit);

  // Lower bounds of the distances to the images in each of 32 boxes, and the lanes where it is at most `limit`.
  Lanes (*near_boxes)(const Boxes& boxes, const ImageQuery& query, float limit, float* out);

  // Upper bounds of the distances to the images in each of 32 boxes, and the lanes where it is at least `limit`.
  Lanes (*far_boxes)(const Boxes& boxes, const FarQuery& query, float limit, float* out);

  // The same four among coded images and boxes; of `boxes` norms and sets are read.
  Lanes (*near_coded)(const CodedBlock& block, const std::int32_t* codes, const ImageQuery& query, float limit);
  Lanes (*far_coded)(const CodedBlock& block, const std::int32_t* codes, const ImageQuery& query, float limit);
  Lanes (*near_coded_boxes)(const CodedBlock& block, const Boxes& boxes, const ImageQuery& query, float limit,
                            float* out);
  Lanes (*far_coded_boxes)(const CodedBlock& block, const Boxes& boxes, const FarQuery& query, float limit, float* out);

  // The lanes whose value is at most (at least) `limit`.
  Lanes (*at_most)(const float* values, float limit);
  Lanes (*at_least)(const float* values, float limit);

  // Least and greatest of the first `count` lanes (at least one) of each of `runs` runs.
  void (*extent)(const float* low, const float* high, int runs, int count, float* least, float* greatest);

  // Greatest squared norm of the first `count` images of a block.
  float (*greatest_norm)(const float* numbers, int number_count, int count);

  // The same extent of codes.
  void (*coded_extent)(const std::uint8_t* low, const std::uint8_t* high, int runs, int count, std::uint8_t* least,
                       std::uint8_t* greatest);

  // Squared distances from `centre` to `count` rows that stand column by column, `stride` values from column to column,
  // where each of the `width` differences is multiplied by its scale first: what a stream compares, whose scales move.
  // `count` is a multiple of kRowLanes.
  void (*scaled_distances)(const double* columns, std::int64_t stride, std::int64_t count, const double* centre,
                           const double* scales, int width, double* out);

  // Goes through blocks first..last-1 of 512 records until one has a sum within the limit; returns it with these
  // records in `out`, or `last`. `lowest` has a row for each block that none in it is below.
  std::int64_t (*seek_planes)(const std::uint64_t* planes, const std::int32_t* lowest, std::int64_t first,
                              std::int64_t last, const PlaneQuery& query, const PlaneLimit& limit, std::uint64_t* out);
};

// The fastest kernels this processor can run, specialised for the number of numeric attributes.
LaneKernels lane_kernels(int number_count);

}  // namespace shoal

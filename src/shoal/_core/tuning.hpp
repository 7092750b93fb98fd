// Numbers that change the speed and never the answer.
//
// Each was found by trying values around it and taking one from the range where the times hardly differ. To find one
// anew, on another processor say,
//
//   python benchmarks/run.py tuning kFewNumbers
//
// compiles the kernels once for each value, in a temporary folder, runs them on the inputs that the script lists under
// the name, prints times as ratios to those of the value here, and checks that the answers are the same. Files of the
// folders below include this header as "tuning.hpp", so that another one, in a folder that the compiler looks into
// first, can take its place.
//
// Numbers that the answer depends on are no tuning: what bounds the memory of a stream, for example, stands in stream/.
// Nor are those that follow from the processor: blocks have 32 records (search/lanes.hpp), one bit of a mask for each
// and four of the widest registers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace shoal::tuning {

// Search -------------------------------------------------------------------------------------------------------------

// Up to so many numbers the records of a leaf are read at once; with more, their images first (KdTree).
inline constexpr int kFewNumbers = 6;

// Up to so many numbers a plain scan of doubles is as good as one that looks at images first (RecordIndex).
inline constexpr int kPlainNumbers = 8;

// Questions between two thoughts about turning from the tree to a scan (AutoIndex).
inline constexpr int kTrial = 48;

// Cells up to this size are copied together before they are split finely: they then fit the second cache (kd_order).
inline constexpr std::int64_t kNearby = std::int64_t{1} << 15;

// A scanned tail of inserted records costs every question, a rebuild n log n: the tail may grow to this many times the
// square root of n before it is worth one (KdTree::insert).
inline constexpr double kTail = 8.0;

// To arrange a scan anew costs about as much as looking at each of its blocks so many times (SketchScan).
inline constexpr std::int64_t kArrange = 128;

// Leaves looked at to guess whether images tell their records apart (KdTree).
inline constexpr std::int64_t kLeafSample = 64;

// Records of codes alone are looked up in lists if the longest ones of all attributes have no more than so many in all
// (CodeListIndex).
inline constexpr std::int64_t kLongLists = 2048;

// Up to so many records of codes alone a scan of their bits is as good as a tree at any time (AutoIndex).
inline constexpr std::int64_t kFewPlanes = std::int64_t{1} << 17;

// Records looked at to guess whether many are equal (Duplicates).
inline constexpr std::int64_t kDuplicateSample = 2048;

// Group --------------------------------------------------------------------------------------------------------------

// A scan of one increasing column often looks at few of its k candidates, and always at neighbours; from this k on its
// worst case outweighs that, and the column is divided (search_for; benchmarks/univariate.py has both searches by k).
inline constexpr std::size_t kDivideFrom = 200;

// A region of the cheapest cut: this many times k, but no less than so many rows. Longer ones cost the cache, shorter
// ones the sums that are begun anew (CheapestRuns).
inline constexpr std::size_t kRegion = 4;
inline constexpr std::size_t kRegionLeast = 512;

// Bits of a digit in the radix sort: counts for all digits fit the first cache, and six passes cover 64 bits.
inline constexpr int kDigitBits = 11;

// Values that a thread must have to sort before it is worth starting.
inline constexpr std::size_t kShareLeast = std::size_t{1} << 16;

// Close --------------------------------------------------------------------------------------------------------------

// Records looked at for each subset in one search over all before each subset is searched by itself (t_first).
inline constexpr std::int64_t kSubsetPatience = 64;

// Stream -------------------------------------------------------------------------------------------------------------

// Up to this many tuples in the buffer a scan beats a tree. Leaves are large, because eight distances cost less than
// one step down (stream::Index). With two numbers a tree is faster by a quarter at 300 tuples already; with eight it is
// slower by a tenth still at 600: the number is between.
inline constexpr std::int64_t kStreamScan = 384;
inline constexpr std::int64_t kStreamLeaf = 128;

// So many nearest are kept in order, more of them as a heap (stream::Nearest).
inline constexpr std::size_t kStreamFew = 48;

}  // namespace shoal::tuning

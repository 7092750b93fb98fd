// What differs between compilers, processors and systems: all of it is here, and nowhere else.
//
// Each part has a path in standard C++ beside it. SHOAL_PORTABLE takes that path everywhere, so that the tests can run
// it on a machine that would not need it. Labels and released values are the same on every path; only speed differs.
#pragma once

#include <cmath>
#include <cstddef>

#if !defined(SHOAL_PORTABLE) && defined(__linux__)
#include <sys/mman.h>
#endif

// Pointers that do not overlap: a wish of the loops in lanes_isa.inl, without which they are slower.
#if !defined(SHOAL_PORTABLE) && (defined(__GNUC__) || defined(_MSC_VER))
#define SHOAL_RESTRICT __restrict
#else
#define SHOAL_RESTRICT
#endif

// x * y + z, rounded once, as one instruction where the file is compiled for processors that have it. Not std::fma: an
// inline function of a header must not be called in a file that is compiled for one processor (see lanes_isa.inl).
#if !defined(SHOAL_PORTABLE) && defined(__GNUC__)
#define SHOAL_FMAF(x, y, z) __builtin_fmaf(x, y, z)
#else
#define SHOAL_FMAF(x, y, z) fmaf(x, y, z)
#endif

// double SHOAL_VECTOR(64) is eight doubles with arithmetic lane by lane. Not defined where there is no such thing.
#if !defined(SHOAL_PORTABLE) && defined(__GNUC__)
#define SHOAL_VECTOR(bytes) __attribute__((vector_size(bytes)))
#endif

namespace shoal {

// Integers of 128 bits, where the compiler has them; exact/wide.hpp is what kernels use.
#if !defined(SHOAL_PORTABLE) && defined(__SIZEOF_INT128__)
#define SHOAL_INT128
__extension__ typedef __int128 NativeInt128;
#endif

// What the processor at hand can run. Asked only where loops for it were compiled (SHOAL_X86, see CMakeLists.txt).
#if defined(SHOAL_X86)
inline bool processor_has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
inline bool processor_has_avx512() {
  return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

inline constexpr std::size_t kCacheLine = 64;

// Asks for the lines of `count` values ahead of their use: several on their way at once cost little more than one.
template <class T>
inline void prefetch([[maybe_unused]] const T* first, [[maybe_unused]] std::size_t count = 1) {
#if !defined(SHOAL_PORTABLE) && defined(__GNUC__)
  const auto* byte = reinterpret_cast<const char*>(first);
  for (const char* const end = byte + count * sizeof(T); byte < end; byte += kCacheLine) __builtin_prefetch(byte);
#endif
}

inline constexpr std::size_t kHugePage = std::size_t{1} << 21;

// Asks for huge pages under memory that starts at a multiple of kHugePage. Without them all is well, but slower.
inline void wish_for_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if !defined(SHOAL_PORTABLE) && defined(__linux__)
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace shoal

// Vectors that start on a cache line, and on huge pages where they are long: wide loads and random walks like that.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace shoal {

template <class T>
struct LineAligned {
  using value_type = T;
  LineAligned() = default;
  template <class U>
  LineAligned(const LineAligned<U>&) {}

  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    void* memory = ::operator new(bytes, alignment(n));
#if defined(__linux__)
    if (bytes >= kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish; without it all is well, but slower
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) { ::operator delete(memory, alignment(n)); }
  bool operator==(const LineAligned&) const { return true; }

 private:
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kHugePage = std::size_t{1} << 21;
  static std::align_val_t alignment(std::size_t n) {
    return std::align_val_t{n * sizeof(T) >= kHugePage ? kHugePage : kLine};
  }
};

// Asks for the lines of `count` values ahead of their use: several on their way at once cost little more than one.
template <class T>
inline void prefetch([[maybe_unused]] const T* first, [[maybe_unused]] std::size_t count = 1) {
#if defined(__GNUC__)
  const auto* byte = reinterpret_cast<const char*>(first);
  for (const char* const end = byte + count * sizeof(T); byte < end; byte += 64) __builtin_prefetch(byte);
#endif
}

template <class T>
using Lines = std::vector<T, LineAligned<T>>;

}  // namespace shoal

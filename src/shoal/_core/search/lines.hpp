// Vectors that start on a cache line, and on huge pages where they are long: wide loads and random walks like that.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "platform.hpp"

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
    if (bytes >= kHugePage) wish_for_huge_pages(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) { ::operator delete(memory, alignment(n)); }
  bool operator==(const LineAligned&) const { return true; }

 private:
  static std::align_val_t alignment(std::size_t n) {
    return std::align_val_t{n * sizeof(T) >= kHugePage ? kHugePage : kCacheLine};
  }
};

template <class T>
using Lines = std::vector<T, LineAligned<T>>;

}  // namespace shoal

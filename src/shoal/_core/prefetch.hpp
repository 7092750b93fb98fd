// Asking memory for what will be needed soon. A hint: it changes nothing but time.
#pragma once

#include <cstddef>

namespace shoal {

inline void prefetch(const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#else
  (void)address;
#endif
}

inline void prefetch_lines(const void* address, std::size_t bytes) {
  for (std::size_t offset = 0; offset < bytes; offset += 64) prefetch(static_cast<const char*>(address) + offset);
}

}  // namespace shoal

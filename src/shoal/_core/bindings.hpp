// One bind function per kernel file; module.cpp calls them all. Shared array types live here.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace shoal {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Column-major: one column is one contiguous run, so a loop over records is a loop over memory.
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

template <class T>
using OutVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
std::span<const T> as_span(const Vector<T>& array) {
  return {array.data(), array.shape(0)};
}

// Hands a vector's memory to NumPy without a copy.
template <class T>
OutVector<T> to_numpy(std::vector<T>&& values) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  const std::size_t size = owned->size();
  T* data = owned->data();
  nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  owned.release();
  return OutVector<T>(data, {size}, owner);
}

void bind_classes(nb::module_& module);

}  // namespace shoal

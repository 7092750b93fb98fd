// One bind function per kernel file; module.cpp calls them all. Shared array types live here.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace shoal {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Column-major: one column is one contiguous run, so a loop over records is a loop over memory.
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

// A NumPy vector of T, as to_numpy makes it.
template <class T>
using OutVector = nb::object;

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
  nb::object array = nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
  // The buffer protocol says "long long" where NumPy's own int64 may be "long": equal, but printed with its type.
  if constexpr (std::is_same_v<T, std::int64_t>) return array.attr("view")("int64");
  return array;
}

void bind_classes(nb::module_& module);
void bind_csv(nb::module_& module);
void bind_linkage(nb::module_& module);
void bind_exact_sum(nb::module_& module);
void bind_int128(nb::module_& module);
void bind_instruction_sets(nb::module_& module);
void bind_kd_tree(nb::module_& module);
void bind_matching(nb::module_& module);
void bind_mdav(nb::module_& module);
void bind_records(nb::module_& module);
void bind_refine(nb::module_& module);
void bind_refine_pieces(nb::module_& module);
void bind_move_costs(nb::module_& module);
void bind_bound_ascent(nb::module_& module);
void bind_bound_search(nb::module_& module);
void bind_constraint(nb::module_& module);
void bind_emd(nb::module_& module);
void bind_k_first(nb::module_& module);
void bind_merge(nb::module_& module);
void bind_neighbourhood(nb::module_& module);
void bind_t_first(nb::module_& module);
void bind_pricing(nb::module_& module);
void bind_vmdav(nb::module_& module);
void bind_mic1d(nb::module_& module);
void bind_mondrian(nb::module_& module);
void bind_projected(nb::module_& module);
void bind_tied_modes(nb::module_& module);
void bind_univariate(nb::module_& module);
void bind_stream(nb::module_& module);
void bind_text_codes(nb::module_& module);

}  // namespace shoal

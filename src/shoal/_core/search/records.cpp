#include "search/records.hpp"

#include "bindings.hpp"
#include "search/record_arrays.hpp"

namespace shoal {

void bind_records(nb::module_& module) {
  nb::class_<RecordArrays>(module, "Records", "Coordinates, ranks and codes of records, as the kernels read them.")
      .def(
          "__init__",
          [](RecordArrays* self, Matrix<double> coords, Matrix<std::int32_t> ranks, Vector<double> rank_steps,
             Vector<std::int32_t> rank_levels, Vector<bool> rank_convex, Matrix<std::int32_t> codes,
             Vector<double> code_weights, Vector<std::int32_t> code_levels,
             Vector<std::int32_t> subjects) {
            new (self) RecordArrays{std::move(coords),      std::move(ranks), std::move(rank_steps),
                                    std::move(rank_levels), std::move(rank_convex), std::move(codes),
                                    std::move(code_weights), std::move(code_levels),
                                    std::move(subjects)};
          },
          nb::arg("coords"), nb::arg("ranks"), nb::arg("rank_steps"), nb::arg("rank_levels"), nb::arg("rank_convex"),
          nb::arg("codes"), nb::arg("code_weights"), nb::arg("code_levels"), nb::arg("subjects"))
      .def("__len__", [](const RecordArrays& self) { return self.coords.shape(0); });
}

}  // namespace shoal

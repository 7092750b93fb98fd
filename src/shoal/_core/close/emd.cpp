// Distances of groups to the table, as numbers to show; verdicts are in constraint.hpp.
#include "close/emd.hpp"

#include "bindings.hpp"
#include "group/groups.hpp"

namespace shoal {
namespace {

OutVector<double> distances(const Attribute& attribute, const Vector<std::int64_t>& labels, std::int64_t count) {
  std::vector<double> result(count);
  {
    nb::gil_scoped_release release;
    const Groups groups(as_span(labels), count);
    Scratch scratch;
    std::vector<std::int32_t> codes;
    Histogram histogram;
    for (std::int64_t group = 0; group < count; ++group) {
      codes.clear();
      for (const std::int32_t row : groups[group]) codes.push_back(attribute.code(row));
      histogram.assign(codes);
      result[group] = attribute.distance(attribute.work(histogram, scratch), histogram.records());
    }
  }
  return to_numpy(std::move(result));
}

}  // namespace

void bind_emd(nb::module_& module) {
  nb::class_<Attribute>(module, "Attribute")
      .def(
          "__init__",
          [](Attribute* self, const Vector<std::int32_t>& codes, const Vector<std::int64_t>& counts,
             const Vector<std::int32_t>& parents, const Vector<std::int32_t>& climbs, std::int64_t scale) {
            new (self) Attribute(as_span(codes), as_span(counts), as_span(parents), as_span(climbs), scale);
          },
          nb::arg("codes"), nb::arg("counts"), nb::arg("parents"), nb::arg("climbs"), nb::arg("scale"))
      .def("distances", &distances, nb::arg("labels"), nb::arg("count"));
}

}  // namespace shoal

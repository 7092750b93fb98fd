// Distances of groups to the table, for Python: as numbers to show, and as verdicts that no rounding touches.
#include "emd.hpp"

#include "bindings.hpp"
#include "groups.hpp"

namespace shoal {
namespace {

// Calls visit(group, size, work) for every group.
template <class Visit>
void each_work(const Attribute& attribute, const Groups& groups, Visit visit) {
  Scratch scratch;
  std::vector<std::int32_t> codes;
  for (std::int64_t group = 0; group < groups.size(); ++group) {
    codes.clear();
    for (const std::int32_t row : groups[group]) codes.push_back(attribute.code(row));
    visit(group, static_cast<std::int64_t>(codes.size()), attribute.work(codes, scratch));
  }
}

OutVector<double> distances(const Attribute& attribute, const Vector<std::int64_t>& labels, std::int64_t count) {
  std::vector<double> result(count);
  {
    nb::gil_scoped_release release;
    each_work(attribute, Groups(as_span(labels), count), [&](std::int64_t group, std::int64_t size, Wide work) {
      result[group] = attribute.distance(work, size);
    });
  }
  return to_numpy(std::move(result));
}

OutVector<std::uint8_t> within(const Attribute& attribute, const Vector<std::int64_t>& labels, std::int64_t count,
                               const Limit& limit) {
  std::vector<std::uint8_t> result(count);
  {
    nb::gil_scoped_release release;
    each_work(attribute, Groups(as_span(labels), count), [&](std::int64_t group, std::int64_t size, Wide work) {
      result[group] = limit.allows(work, size);
    });
  }
  return to_numpy(std::move(result));
}

}  // namespace

void bind_emd(nb::module_& module) {
  nb::class_<Limit>(module, "Limit")
      .def(nb::init<std::int64_t, std::int64_t, std::int64_t>(), nb::arg("whole"), nb::arg("part"),
           nb::arg("denominator"));
  nb::class_<Attribute>(module, "Attribute")
      .def(
          "__init__",
          [](Attribute* self, const Vector<std::int32_t>& codes, std::int32_t levels, const Vector<std::int32_t>& parents,
             const Vector<std::int32_t>& climbs, std::int64_t scale) {
            new (self) Attribute(as_span(codes), levels, as_span(parents), as_span(climbs), scale);
          },
          nb::arg("codes"), nb::arg("levels"), nb::arg("parents"), nb::arg("climbs"), nb::arg("scale"))
      .def("distances", &distances, nb::arg("labels"), nb::arg("count"))
      .def("within", &within, nb::arg("labels"), nb::arg("count"), nb::arg("limit"));
}

}  // namespace shoal

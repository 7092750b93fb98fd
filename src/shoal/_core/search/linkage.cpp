// Distance linkage: for each released record, is any original nearer than its own, and how many are as near?
//
// The intruder's nearest original need not be found. A released record starts with the distance to its own original
// as the radius of a ball: one original strictly inside settles that it is not linked, and otherwise the originals
// on the surface are the candidates. So most searches end in the first leaf, and the others cut all but a tiny ball.
#include <limits>

#include "bindings.hpp"
#include "progress.hpp"
#include "search/kd_tree.hpp"
#include "search/record_arrays.hpp"

namespace shoal {
namespace {

struct Links {
  std::vector<std::int64_t> members;     // of each released record, the records whose own original is the nearest
  std::vector<std::int64_t> candidates;  // the originals that are as near; 0 when another is nearer
};

Links link(const Records& originals, std::span<const std::int64_t> copies, const Records& released,
           std::span<const std::int64_t> original_of, std::span<const std::int64_t> released_of, Progress& progress) {
  const auto places = static_cast<std::size_t>(released.size);
  std::vector<double> radius(places, std::numeric_limits<double>::infinity());
  std::vector<Row> own(places);  // the nearest original of a released record's own: where the search starts
  Links links{std::vector<std::int64_t>(places, 0), std::vector<std::int64_t>(places, 0)};
  Place place(released);
  for (std::size_t record = 0; record < original_of.size(); ++record) {
    const auto to = static_cast<std::size_t>(released_of[record]);
    place.set(released, released_of[record]);
    const double distance = squared_distance(originals, original_of[record], place);
    if (distance < radius[to]) {
      radius[to] = distance;
      own[to] = static_cast<Row>(original_of[record]);
      links.members[to] = 0;
    }
    if (distance == radius[to]) ++links.members[to];
  }
  const KdTree tree(originals);
  for (std::size_t to = 0; to < places; ++to) {
    place.set(released, static_cast<std::int64_t>(to));
    BallSurface surface(radius[to], copies);
    tree.nearest(place, surface, own[to]);
    if (surface.is_empty_inside()) {
      links.candidates[to] = surface.count();
    } else {
      links.members[to] = 0;
    }
    progress.tick(static_cast<std::int64_t>(to) + 1);
  }
  progress.finish();
  return links;
}

nb::tuple run_link(const RecordArrays& originals, Vector<std::int64_t> copies, const RecordArrays& released,
                   Vector<std::int64_t> original_of, Vector<std::int64_t> released_of, nb::object callback) {
  Links links;
  Progress progress(std::move(callback), static_cast<std::int64_t>(released.coords.shape(0)));
  {
    nb::gil_scoped_release release;
    const Records from = originals.view();
    links = link(from, as_span(copies), released.view(), as_span(original_of), as_span(released_of), progress);
  }
  return nb::make_tuple(to_numpy(std::move(links.members)), to_numpy(std::move(links.candidates)));
}

}  // namespace

void bind_linkage(nb::module_& module) {
  module.def("link", &run_link, nb::arg("originals"), nb::arg("copies"), nb::arg("released"), nb::arg("original_of"),
             nb::arg("released_of"), nb::arg("progress").none());
}

}  // namespace shoal

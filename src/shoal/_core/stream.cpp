// The door to the stream engine.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <stdexcept>

#include "bindings.hpp"
#include "stream_engine.hpp"

namespace shoal {

using stream::Engine;
using stream::Releases;
using stream::Settings;

namespace {

// One stream, one thread: a second caller is told so instead of racing.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& busy) : busy_(busy) {
    if (busy_.exchange(true)) throw std::runtime_error("a stream is used by one thread at a time");
  }
  ~Turn() { busy_ = false; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>& busy_;
};

class StreamEngine {
 public:
  explicit StreamEngine(Settings settings) : engine_(std::move(settings)) {}

  Engine& engine() { return engine_; }

  nb::object push(const std::vector<double>& cells, std::int64_t subject, const std::vector<double>& confidential) {
    const Turn turn(busy_);
    row_.resize(engine_.settings().axes.size());
    const int coords = engine_.settings().axes.coords;
    std::copy_n(cells.data(), coords, row_.data());
    std::copy(cells.begin() + coords, cells.end(), row_.begin() + coords + 1);
    Releases out;
    engine_.push(row_.data(), subject, confidential.data(), out);
    return to_python(out);
  }

  nb::object push_many(Matrix<double> cells, Vector<std::int64_t> subjects, Matrix<double> confidential) {
    const Turn turn(busy_);
    Releases out;
    {
      nb::gil_scoped_release release;
      const std::size_t count = cells.shape(0), width = confidential.shape(1);
      const int columns = static_cast<int>(cells.shape(1)), coords = engine_.settings().axes.coords;
      row_.resize(columns + 1);
      std::vector<double> hidden(width);
      for (std::size_t i = 0; i < count; ++i) {
        for (int j = 0; j < columns; ++j) row_[j < coords ? j : j + 1] = cells.data()[j * count + i];
        for (std::size_t j = 0; j < width; ++j) hidden[j] = confidential.data()[j * count + i];
        engine_.push(row_.data(), subjects.shape(0) > 0 ? subjects.data()[i] : 0, hidden.data(), out);
      }
    }
    return to_python(out);
  }

  nb::object flush() {
    const Turn turn(busy_);
    Releases out;
    {
      nb::gil_scoped_release release;
      engine_.flush(out);
    }
    return to_python(out);
  }

  nb::bytes save() const {
    const std::string state = engine_.save();
    return nb::bytes(state.data(), state.size());
  }

  nb::dict tally() const {
    const auto& tally = engine_.tally();
    nb::dict result;
    result["arrived"] = engine_.arrived();
    result["buffered"] = engine_.buffered();
    result["released"] = tally.released;
    result["groups"] = tally.groups;
    result["joined"] = tally.joined;
    result["dropped_subjects"] = tally.dropped_subjects;
    result["dropped_close"] = tally.dropped_close;
    result["squared_error"] = tally.squared_error;
    result["absolute_error"] = tally.absolute_error;
    result["largest_spread"] = tally.largest_spread;
    result["total_spread"] = tally.total_spread;
    result["delays"] = to_numpy(std::vector<std::int64_t>(tally.delays));
    return result;
  }

 private:
  // None when nothing left: most calls that push one tuple.
  static nb::object to_python(Releases& out) {
    if (out.positions.empty() && out.dropped.empty()) return nb::none();
    return nb::make_tuple(to_numpy(std::move(out.positions)), to_numpy(std::move(out.sizes)),
                          to_numpy(std::move(out.classes)), to_numpy(std::move(out.at)),
                          to_numpy(std::move(out.coords)), to_numpy(std::move(out.ranks)),
                          to_numpy(std::move(out.modes)), to_numpy(std::move(out.dropped)),
                          to_numpy(std::move(out.reasons)));
  }

  Engine engine_;
  std::vector<double> row_;
  std::atomic<bool> busy_{false};
};

// A stable 52-bit number for a text (FNV-1a, then the finaliser of SplitMix64): the same in every process and on every
// machine, exact as a double. Two texts that share one would be taken for the same category or subject, which costs
// homogeneity or tuples, never the guarantee.
std::uint64_t code_of(const char* text, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001b3ULL;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ULL;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebULL;
  return (hash ^ (hash >> 31)) >> 12;
}

std::int64_t text_code(nb::str text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) throw nb::python_error();
  return static_cast<std::int64_t>(code_of(bytes, static_cast<std::size_t>(size)));
}

// -1 where there is no text.
nb::object text_codes(nb::list texts) {
  std::vector<std::int64_t> codes;
  codes.reserve(texts.size());
  for (nb::handle text : texts) {
    codes.push_back(text.is_none() ? -1 : text_code(nb::borrow<nb::str>(text)));
  }
  return to_numpy(std::move(codes));
}

}  // namespace

void bind_stream(nb::module_& module) {
  nb::class_<StreamEngine>(module, "StreamEngine")
      .def("__init__",
           [](StreamEngine* self, std::int64_t k, std::int64_t max_delay, double position_weight, std::int64_t sweeps,
              bool subjects, std::vector<double> coord_weights, std::vector<double> lows, std::vector<double> highs,
              std::vector<int> coord_operators, std::vector<double> rank_steps, std::vector<double> rank_unit_steps,
              std::vector<std::int32_t> rank_levels, std::vector<int> rank_operators, std::vector<double> code_weights,
              bool impute, std::vector<double> t, std::vector<bool> confidential_nominal, bool merge,
              std::int64_t leaf) {
             Settings settings;
             settings.k = k;
             settings.max_delay = max_delay;
             settings.position_weight = position_weight;
             settings.sweeps = sweeps;
             settings.subjects = subjects;
             settings.axes = {static_cast<int>(coord_weights.size()), static_cast<int>(rank_steps.size()),
                              static_cast<int>(code_weights.size())};
             settings.coord_weights = std::move(coord_weights);
             settings.lows = std::move(lows);
             settings.highs = std::move(highs);
             settings.coord_operators = std::move(coord_operators);
             settings.rank_steps = std::move(rank_steps);
             settings.rank_unit_steps = std::move(rank_unit_steps);
             settings.rank_levels = std::move(rank_levels);
             settings.rank_operators = std::move(rank_operators);
             settings.code_weights = std::move(code_weights);
             settings.impute = impute;
             settings.t = std::move(t);
             settings.confidential_nominal = std::move(confidential_nominal);
             settings.merge = merge;
             settings.leaf = leaf;
             new (self) StreamEngine(std::move(settings));
           },
           nb::kw_only(), nb::arg("k"), nb::arg("max_delay"), nb::arg("position_weight"), nb::arg("sweeps"),
           nb::arg("subjects"), nb::arg("coord_weights"), nb::arg("lows"), nb::arg("highs"),
           nb::arg("coord_operators"), nb::arg("rank_steps"), nb::arg("rank_unit_steps"), nb::arg("rank_levels"),
           nb::arg("rank_operators"), nb::arg("code_weights"), nb::arg("impute"), nb::arg("t"),
           nb::arg("confidential_nominal"), nb::arg("merge"), nb::arg("leaf"))
      .def("push", &StreamEngine::push, nb::arg("cells"), nb::arg("subject"), nb::arg("confidential"))
      .def("push_many", &StreamEngine::push_many, nb::arg("cells"), nb::arg("subjects"), nb::arg("confidential"))
      .def("flush", &StreamEngine::flush)
      .def("save", &StreamEngine::save)
      .def("load",
           [](StreamEngine& self, nb::bytes state) {
             self.engine().load(static_cast<const char*>(state.data()), state.size());
           })
      .def_prop_ro("oldest", [](StreamEngine& self) { return self.engine().oldest(); })
      .def("tally", &StreamEngine::tally);
  module.def("text_code", &text_code, nb::arg("text"));
  module.def("text_codes", &text_codes, nb::arg("texts"));
}

}  // namespace shoal

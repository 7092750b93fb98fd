// Numbers for texts: the categories and subjects of a stream, which knows none of them beforehand.
#include <cstdint>
#include <vector>

#include "bindings.hpp"

namespace shoal {
namespace {

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

void bind_text_codes(nb::module_& module) {
  module.def("text_code", &text_code, nb::arg("text"));
  module.def("text_codes", &text_codes, nb::arg("texts"));
}

}  // namespace shoal

// Text columns and their export: the two structures are those of the Arrow C data interface, part of its stable ABI.
#include "text/text_column.hpp"

#include <cstring>

namespace nb = nanobind;

extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
}

namespace shoal {
namespace {

constexpr std::size_t inline_bytes = 12;
constexpr std::size_t heap_bytes = std::size_t{1} << 26;
constexpr std::int64_t nullable = 2;  // ARROW_FLAG_NULLABLE

// Keeps a column alive for as long as an importer holds its buffers.
struct Lease {
  std::shared_ptr<const TextData> data;
  std::vector<const void*> buffers;
  std::vector<std::int64_t> heap_sizes;
};

void release_schema(ArrowSchema* schema) { schema->release = nullptr; }

void release_array(ArrowArray* array) {
  delete static_cast<Lease*>(array->private_data);
  array->release = nullptr;
}

// The importer moves the structure out and clears release; if nobody imported it, the capsule cleans up.
template <class T>
nb::capsule capsule_of(T* structure, const char* name) {
  return nb::capsule(structure, name, [](void* p) noexcept {
    auto* owned = static_cast<T*>(p);
    if (owned->release != nullptr) owned->release(owned);
    delete owned;
  });
}

}  // namespace

void TextBuilder::add(std::string_view text) {
  TextData& data = *data_;
  TextView view{};
  view.length = static_cast<std::int32_t>(text.size());
  if (text.size() <= inline_bytes) {
    if (!text.empty()) std::memcpy(reinterpret_cast<char*>(&view) + sizeof view.length, text.data(), text.size());
  } else {
    if (data.heaps.empty() || data.heaps.back().size() + text.size() > heap_bytes) data.heaps.emplace_back();
    std::vector<char>& heap = data.heaps.back();
    std::memcpy(view.start, text.data(), sizeof view.start);
    view.place.heap = static_cast<std::int32_t>(data.heaps.size() - 1);
    view.place.offset = static_cast<std::int32_t>(heap.size());
    heap.insert(heap.end(), text.begin(), text.end());
  }
  const std::size_t row = data.views.size();
  data.views.push_back(view);
  if (data.missing > 0) {
    if (row / 8 >= data.present.size()) data.present.push_back(0);
    data.present[row / 8] |= static_cast<std::uint8_t>(1u << (row % 8));
  }
}

void TextBuilder::add_missing() {
  TextData& data = *data_;
  const std::size_t row = data.views.size();
  if (data.missing == 0) {  // all cells before the first missing one are there
    data.present.reserve(data.views.capacity() / 8 + 1);
    data.present.assign(row / 8, 0xff);
    if (row % 8 != 0) data.present.push_back(static_cast<std::uint8_t>((1u << (row % 8)) - 1));
  }
  if (row / 8 >= data.present.size()) data.present.push_back(0);
  ++data.missing;
  data.views.push_back(TextView{});
}

nb::tuple TextColumn::arrow_c_array(nb::object) const {
  auto lease = std::make_unique<Lease>();
  lease->data = data_;
  lease->buffers = {data_->missing > 0 ? data_->present.data() : nullptr, data_->views.data()};
  for (const auto& heap : data_->heaps) {
    lease->buffers.push_back(heap.data());
    lease->heap_sizes.push_back(static_cast<std::int64_t>(heap.size()));
  }
  lease->buffers.push_back(lease->heap_sizes.data());

  auto* schema = new ArrowSchema{"vu", "", nullptr, nullable, 0, nullptr, nullptr, release_schema, nullptr};
  nb::capsule schema_capsule = capsule_of(schema, "arrow_schema");
  auto* array = new ArrowArray{static_cast<std::int64_t>(data_->views.size()),
                               data_->missing,
                               0,
                               static_cast<std::int64_t>(lease->buffers.size()),
                               0,
                               lease->buffers.data(),
                               nullptr,
                               nullptr,
                               release_array,
                               lease.get()};
  lease.release();
  return nb::make_tuple(schema_capsule, capsule_of(array, "arrow_array"));
}

void bind_text_column(nb::module_& module) {
  nb::class_<TextColumn>(module, "TextColumn")
      .def("__arrow_c_array__", &TextColumn::arrow_c_array, nb::arg("requested_schema") = nb::none());
}

}  // namespace shoal

// A column of text in Arrow's string-view layout, handed to data frame libraries through the Arrow PyCapsule protocol.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace shoal {

// Sixteen bytes per cell: the length, then the text itself if it is short, else its first bytes and where the rest is.
struct TextView {
  std::int32_t length;
  char start[4];
  union {
    char rest[8];
    struct {
      std::int32_t heap;
      std::int32_t offset;
    } place;
  };
};
static_assert(sizeof(TextView) == 16);

constexpr std::size_t max_cell = 0x7fffffff;

struct TextData {
  std::vector<TextView> views;
  std::vector<std::uint8_t> present;  // one bit per cell; empty when no cell is missing
  std::int64_t missing = 0;
  std::vector<std::vector<char>> heaps;
};

// Lifetime: columns share their data; what an importer of the Arrow capsules holds stays alive until it calls release.
class TextColumn {
 public:
  explicit TextColumn(std::shared_ptr<const TextData> data) : data_(std::move(data)) {}
  nanobind::tuple arrow_c_array(nanobind::object requested_schema) const;

 private:
  std::shared_ptr<const TextData> data_;
};

class TextBuilder {
 public:
  explicit TextBuilder(std::size_t cells) : data_(std::make_shared<TextData>()) { data_->views.reserve(cells); }
  void add(std::string_view text);
  void add_missing();
  TextColumn finish() && { return TextColumn(std::move(data_)); }

 private:
  std::shared_ptr<TextData> data_;
};

void bind_text_column(nanobind::module_& module);

}  // namespace shoal

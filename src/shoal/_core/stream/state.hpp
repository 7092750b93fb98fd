// The state of a stream as bytes: numbers one after the other, little-endian, read back in the order written.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace shoal::stream {

static_assert(std::endian::native == std::endian::little, "snapshots are little-endian");

class StateWriter {
 public:
  template <class T>
  void put(T value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    static_assert(std::is_arithmetic_v<T>);
    put(static_cast<std::int64_t>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Refuses to read past the end: a file that was cut short must not become a state. Nor must one that breaks a rule.
class StateReader {
 public:
  StateReader(const char* data, std::size_t size) : data_(data), end_(data + size) {}

  template <class T>
  T get() {
    T value;
    std::memcpy(&value, advance(sizeof value), sizeof value);
    return value;
  }
  template <class T>
  void get(std::vector<T>& values) {
    const auto size = get<std::int64_t>();
    if (size < 0 || static_cast<std::size_t>(size) > static_cast<std::size_t>(end_ - data_) / sizeof(T)) fail();
    values.resize(size);
    if (size > 0) std::memcpy(values.data(), advance(size * sizeof(T)), size * sizeof(T));
  }
  bool finished() const { return data_ == end_; }

  // What an engine saves keeps these rules, and it trusts them afterwards. A state that was changed, checksum and all,
  // need not: a place beyond an array must not be gone to.
  static void require(bool holds) {
    if (!holds) throw std::invalid_argument("a value in it is out of its bounds");
  }
  template <class T>
  void get(std::vector<T>& values, std::size_t size) {
    get(values);
    require(values.size() == size);
  }

 private:
  [[noreturn]] static void fail() { throw std::invalid_argument("the state is cut short"); }
  const char* advance(std::size_t size) {
    if (size > static_cast<std::size_t>(end_ - data_)) fail();
    const char* here = data_;
    data_ += size;
    return here;
  }

  const char* data_;
  const char* end_;
};

}  // namespace shoal::stream

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "stages/core/image.hpp"

namespace srcextract {

/// The kind of element that each value of a field belongs to. A message names the element where two results differ.
enum class Element { whole, pixel, run, row, source };

/// Values that a stage has produced, copied to the host. Integers are widened to 64 bits.
struct StageField {
  std::string name;
  Element element = Element::whole;
  std::int64_t width = 0;  ///< width of the image, if the elements are pixels
  std::variant<std::vector<float>, std::vector<double>, std::vector<std::int64_t>> values;
  double tolerance = 0;  ///< largest absolute difference allowed between the results of host and device

  std::int64_t size() const {
    return std::visit([](const auto& all) { return std::ssize(all); }, values);
  }
};

struct StageResult {
  std::string stage;
  std::vector<StageField> fields;
};

/// The results of all stages of an image in order of execution, for comparing host and device. A stage that runs twice
/// is recorded twice.
using StageRecord = std::vector<StageResult>;

/// Records the result of a stage, field by field. Each result type has a function record_fields(const Result&,
/// FieldRecorder&) next to it, which calls this class.
class FieldRecorder {
 public:
  explicit FieldRecorder(StageResult& to) : to_(to) {}

  template <class T>
  void value(std::string name, T one) {
    add(std::move(name), Element::whole, 1, [&](std::int64_t) { return one; });
  }

  template <class T>
  void pixels(std::string name, const Image<T, Cpu>& image) {
    values(std::move(name), Element::pixel,
           std::span(image.pixels.data(), static_cast<std::size_t>(image.pixels.size())));
    to_.fields.back().width = image.shape.width;
  }

  template <class T>
  void values(std::string name, Element element, std::span<const T> all, double tolerance = 0) {
    add(std::move(name), element, std::ssize(all), [&](std::int64_t i) { return all[static_cast<std::size_t>(i)]; });
    to_.fields.back().tolerance = tolerance;
  }

  /// Records one value of each element of a buffer as a field. `get` is a pointer to a data member, or a function of an
  /// element.
  template <class Struct, class Get>
  void members(std::string name, Element element, const Buffer<Struct, Cpu>& all, const Get& get) {
    add(std::move(name), element, all.size(), [&](std::int64_t i) { return std::invoke(get, all[i]); });
  }

 private:
  template <class Get>
  void add(std::string name, Element element, std::int64_t count, const Get& get) {
    using T = std::remove_cvref_t<decltype(get(0))>;
    using Kept = std::conditional_t<std::is_floating_point_v<T>, T, std::int64_t>;
    std::vector<Kept> all(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = get(i);
    to_.fields.push_back({std::move(name), element, 0, std::move(all), 0});
  }

  StageResult& to_;
};

inline void record_fields(const Image<float, Cpu>& image, FieldRecorder& to) {
  to.pixels("pixel", image);
}

template <class Result>
void record_stage(const char* stage, const Result& result, StageRecord& record) {
  FieldRecorder fields(record.emplace_back(StageResult{stage, {}}));
  record_fields(result, fields);
}

}  // namespace srcextract

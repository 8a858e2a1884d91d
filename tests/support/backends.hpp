#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stages/core/error.hpp"
#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/measure/measure.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "cuda/device/cuda_devices.hpp"
#include "cuda/device/device.hpp"
#include "cuda/device/memory.hpp"
#include "pipeline/engine/extractor.hpp"
#endif

namespace srcextract::testing {

/// A place to run a stage under test, and copies to and from it.
template <class Where>
class Backend;

template <>
class Backend<Cpu> {
 public:
  static std::optional<std::string> reason_to_skip() { return std::nullopt; }
  const Cpu& where() const { return where_; }
  template <class T>
  Buffer<T, Cpu> put(const std::vector<T>& values) const {
    Buffer<T, Cpu> buffer(static_cast<std::int64_t>(values.size()), where_);
    std::copy(values.begin(), values.end(), buffer.begin());
    return buffer;
  }
  template <class T>
  Value<T, Cpu> put_value(const T& value) const {
    return value;
  }
  template <class T>
  std::vector<T> get(const Buffer<T, Cpu>& buffer) const {
    return {buffer.begin(), buffer.end()};
  }
  template <class T>
  std::vector<T> get(const Buffer<T, Cpu>& buffer, std::int64_t count) const {
    EXPECT_EQ(buffer.size(), count);
    return get(buffer);
  }

 private:
  Cpu where_{3};  // more than one even on one core: results must not depend on it
};

#if SRCEXTRACT_HAVE_CUDA
template <>
class Backend<Gpu> {
 public:
  static std::optional<std::string> reason_to_skip() {
    try {
      find_cuda_device(0);
      return std::nullopt;
    } catch (const Error& error) {
      return error.what();
    }
  }
  const Gpu& where() const { return stream_->where(); }
  template <class T>
  Buffer<T, Gpu> put(const std::vector<T>& values) const {
    return to_device(Backend<Cpu>().put(values), where());
  }
  template <class T>
  Value<T, Gpu> put_value(const T& value) const {
    return to_device(value, where());
  }
  template <class T>
  std::vector<T> get(const Buffer<T, Gpu>& buffer) const {
    return get(buffer, buffer.size());
  }
  /// The first of a buffer that has room for more.
  template <class T>
  std::vector<T> get(const Buffer<T, Gpu>& buffer, std::int64_t count) const {
    return Backend<Cpu>().get(to_host(buffer, count, where()));
  }

 private:
  std::unique_ptr<Stream> stream_ = std::make_unique<Stream>(0);
};
using Backends = ::testing::Types<Cpu, Gpu>;
#else
using Backends = ::testing::Types<Cpu>;
#endif

template <class Where>
Image<float, Where> put_image(const Backend<Where>& backend, const Shape& shape, const std::vector<float>& pixels) {
  Image<float, Where> image;
  image.shape = shape;
  image.pixels = backend.put(pixels);
  return image;
}

/// Levels with these values, for the stages that take them.
template <class Where>
Value<Levels, Where> put_levels(const Backend<Where>& backend, double detection, double background = 0) {
  Levels levels;
  levels.detection = detection;
  levels.background = background;
  return backend.put_value(levels);
}

/// What a stage made, on the host and without the room that was left.
template <class Where>
std::int64_t count_runs(const Backend<Where>& backend, const Runs<Where>& runs) {
  return backend.get(runs.row_begin).back();
}
template <class Where>
std::vector<Run> get_runs(const Backend<Where>& backend, const Runs<Where>& runs) {
  return backend.get(runs.runs, count_runs(backend, runs));
}
template <class Where>
std::vector<std::int32_t> get_labels(const Backend<Where>& backend, const Runs<Where>& runs,
                                     const Components<Where>& components) {
  return backend.get(components.label, count_runs(backend, runs));
}
template <class Where>
std::vector<SourceSums> get_sums(const Backend<Where>& backend, const Components<Where>& components,
                                 const Buffer<SourceSums, Where>& sums) {
  return backend.get(sums, fetch(components.counts, backend.where()).kept);
}

/// One test body for both back ends. Without a device the GPU's is skipped, or fails if SRCEXTRACT_REQUIRE_GPU is set.
template <class W>
class StageTest : public ::testing::Test {
 protected:
  using Where = W;

  void SetUp() override {
    const auto reason = Backend<Where>::reason_to_skip();
    if (!reason) {
      backend_ = std::make_unique<Backend<Where>>();
      return;
    }
    if (std::getenv("SRCEXTRACT_REQUIRE_GPU") != nullptr) {
      FAIL() << "SRCEXTRACT_REQUIRE_GPU is set, but " << *reason;
    }
    GTEST_SKIP() << *reason;
  }

  const Backend<Where>& backend() const { return *backend_; }
  const Where& where() const { return backend_->where(); }

  template <class T>
  Image<T, Where> image(Shape shape, const std::vector<T>& pixels) const {
    Image<T, Where> result;
    result.shape = shape;
    result.pixels = backend_->put(pixels);
    return result;
  }

 private:
  std::unique_ptr<Backend<Where>> backend_;
};

}  // namespace srcextract::testing

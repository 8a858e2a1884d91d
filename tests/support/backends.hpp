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

#if SRCEXTRACT_HAVE_CUDA
#include "cuda/device.hpp"
#include "cuda/extract.hpp"
#include "cuda/memory.hpp"
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
  std::vector<T> get(const Buffer<T, Cpu>& buffer) const {
    return {buffer.begin(), buffer.end()};
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
  std::vector<T> get(const Buffer<T, Gpu>& buffer) const {
    return Backend<Cpu>().get(to_host(buffer, where()));
  }

 private:
  std::unique_ptr<Stream> stream_ = std::make_unique<Stream>(0);
};
using Backends = ::testing::Types<Cpu, Gpu>;
#else
using Backends = ::testing::Types<Cpu>;
#endif

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

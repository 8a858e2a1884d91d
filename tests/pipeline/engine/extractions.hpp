#pragma once

#include <cstring>
#include <string>

#include "cuda/device/cuda_devices.hpp"
#include "pipeline/chain/plan_memory.hpp"
#include "pipeline/engine/extractor.hpp"
#include "pipeline/engine/host_engine.hpp"
#include "stages/settings/detection.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace srcextract::testing {

/// The field, which must outlive it.
inline PixelSource source_of(const Field& field) {
  return {field.shape, {.big_endian = false}, [&field](std::int64_t first, std::int64_t count, std::byte* out) {
            std::memcpy(out, field.pixels.data() + first, static_cast<std::size_t>(count) * sizeof(float));
          }};
}

inline PixelSource unreadable(const Shape& shape) {
  return {shape, {}, [](std::int64_t, std::int64_t, std::byte*) { throw Error(ErrorKind::input, "the disk is gone"); }};
}

/// Every pixel above that value, sharing a side.
inline Config above(double level) {
  Config config;
  config.detection.threshold = level;
  config.detection.threshold_unit = ThresholdUnit::absolute;
  config.detection.connectivity = 4;
  config.detection.min_area = 1;
  config.output.segmentation = true;
  return config;
}

inline Extraction extract_on_cpu(const Exposure& exposure, const Config& config) {
  return extract_on_host(exposure, config, Cpu{2});
}

template <class T>
bool same_bytes(const Buffer<T, Cpu>& a, const Buffer<T, Cpu>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0);
}

/// The bytes of all columns, one after the other.
inline std::string bytes_of(const Sources& sources) {
  std::string bytes;
  for_each_column(sources, [&](const Column&, const auto& values) {
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  });
  return bytes;
}

inline void expect_same(const Extraction& cuda, const Extraction& cpu, const std::string& name) {
  EXPECT_EQ(cuda.background, cpu.background) << name;
  EXPECT_EQ(cuda.levels, cpu.levels) << name;
  EXPECT_EQ(cuda.detected, cpu.detected) << name;
  EXPECT_EQ(cuda.masked.nan, cpu.masked.nan) << name;
  EXPECT_EQ(cuda.masked.infinite, cpu.masked.infinite) << name;
  EXPECT_EQ(cuda.masked.blank, cpu.masked.blank) << name;
  EXPECT_EQ(cuda.sources.size(), cpu.sources.size()) << name;
  EXPECT_TRUE(cuda.aperture_noise == cpu.aperture_noise) << name << ": noise of apertures";
  EXPECT_TRUE(bytes_of(cuda.sources) == bytes_of(cpu.sources)) << name << ": columns";
  EXPECT_TRUE(same_bytes(cuda.runs.runs, cpu.runs.runs)) << name << ": runs";
  EXPECT_TRUE(same_bytes(cuda.runs.row_begin, cpu.runs.row_begin)) << name << ": row_begin";
  EXPECT_TRUE(same_bytes(cuda.label, cpu.label)) << name << ": labels";
  ASSERT_EQ(cuda.picture.has_value(), cpu.picture.has_value()) << name;
  if (cpu.picture) {
    EXPECT_TRUE(same_bytes(cuda.picture->grey.pixels, cpu.picture->grey.pixels)) << name << ": picture";
    EXPECT_EQ(cuda.picture->range, cpu.picture->range) << name;
  }
}

}  // namespace srcextract::testing

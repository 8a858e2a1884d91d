#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "stages/ingest/ingest.hpp"
#include "stages/sky/mesh.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/same_bytes.hpp"

namespace srcextract::testing {

/// The fields that stages are held together on: hostile ones, and one of stars, as many as `crowded` says. With
/// sanitizers every fourth of them and fewer stars.
inline std::vector<Field> parity_fields(int crowded) {
  std::vector<Field> fields;
  const std::vector<Field> all = hostile_fields();
  for (std::size_t i = 0; i < all.size(); i += sanitized ? 4 : 1) fields.push_back(all[i]);
  fields.push_back(star_field({sanitized ? 411 : 1031, share(1500)}, 1000, 12, share(crowded), 77));
  return fields;
}

/// Pixels of which none is known to be masked.
template <class Where>
Pixels<Where> put_pixels(const Backend<Where>& backend, const Shape& shape, const std::vector<float>& values,
                         const MaskCounts& masked = {}) {
  Pixels<Where> pixels;
  pixels.image = put_image(backend, shape, values);
  pixels.masked = backend.put_value(masked);
  return pixels;
}

/// Levels at 1.5 times the noise.
inline Levels low_levels() {
  Levels levels;
  levels.in_noise = 1.5;
  return levels;
}

/// The sky of meshes and what rises above it, on the host.
struct SkyOnHost {
  std::vector<float> level, rms, level_bend, rms_bend, above;
  Background background, of_above;
  std::vector<Run> runs;
};

template <class Where>
SkyOnHost look_above(const Backend<Where>& backend, const Image<float, Where>& image, const MeshSky<Where>& sky,
                     const Where& where) {
  const Image<float, Where> above = subtract_sky(image, sky.mesh, where);
  const auto runs = find_runs(above, backend.put_value(low_levels()), sky.mesh, where);
  return {backend.get(sky.mesh.level),    backend.get(sky.mesh.rms), backend.get(sky.mesh.level_bend),
          backend.get(sky.mesh.rms_bend), backend.get(above.pixels), fetch(sky.background, where),
          fetch(sky.above, where),        get_runs(backend, runs)};
}

inline void expect_same(const SkyOnHost& a, const SkyOnHost& b, const std::string& name) {
  EXPECT_TRUE(same_bytes(a.level, b.level)) << name << ": levels";
  EXPECT_TRUE(same_bytes(a.rms, b.rms)) << name << ": rms";
  EXPECT_TRUE(same_bytes(a.level_bend, b.level_bend)) << name << ": bends of levels";
  EXPECT_TRUE(same_bytes(a.rms_bend, b.rms_bend)) << name << ": bends of rms";
  EXPECT_TRUE(same_bytes(a.above, b.above)) << name << ": pixels above the sky";
  EXPECT_TRUE(same_bytes(a.runs, b.runs)) << name << ": runs";
  EXPECT_EQ(a.background, b.background) << name;
  EXPECT_EQ(a.of_above, b.of_above) << name;
}

/// Runs, what components they are, and the sums over these, on the host.
struct ComponentsOnHost {
  std::vector<Run> runs;
  std::vector<std::int32_t> label;
  ComponentCounts counts;
  std::vector<SourceSums> sums;
};

template <class Where>
ComponentsOnHost get_components(const Backend<Where>& backend, const Runs<Where>& runs,
                                const Components<Where>& components, const Buffer<SourceSums, Where>& sums) {
  return {get_runs(backend, runs), get_labels(backend, runs, components), fetch(components.counts, backend.where()),
          get_sums(backend, components, sums)};
}

inline void expect_same(const ComponentsOnHost& a, const ComponentsOnHost& b, const std::string& name) {
  EXPECT_TRUE(same_bytes(a.runs, b.runs)) << name << ": runs";
  EXPECT_TRUE(same_bytes(a.label, b.label)) << name << ": labels";
  EXPECT_EQ(a.counts.kept, b.counts.kept) << name;
  EXPECT_EQ(a.counts.found, b.counts.found) << name;
  EXPECT_TRUE(same_bytes(a.sums, b.sums)) << name << ": sums";
}

}  // namespace srcextract::testing

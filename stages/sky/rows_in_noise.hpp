#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/sky/mask_bright.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

/// Converts rows of an image to heights above the level of a mesh, in units of its noise (in_units_of_noise).
class RowsInNoise {
 public:
  RowsInNoise(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh)
      : levels(static_cast<std::size_t>(image.shape.width)),
        noise(levels.size()),
        image_(image),
        level_(MeshRow::of_level(mesh)),
        rms_(MeshRow::of_rms(mesh)) {}

  /// Writes row y to `out`. Then `levels` and `noise` are those of the row.
  void convert(std::int64_t y, float* out) {
    level_.go_to(y);
    rms_.go_to(y);
    level_.fill(levels.data());
    rms_.fill(noise.data());
    const float* const row = image_.pixels.data() + y * image_.shape.width;
    for (std::size_t x = 0; x < levels.size(); ++x) out[x] = in_units_of_noise(row[x], levels[x], noise[x]);
  }

  std::vector<float> levels, noise;

 private:
  const Image<float, Cpu>& image_;
  MeshRow level_, rms_;
};

}  // namespace srcextract

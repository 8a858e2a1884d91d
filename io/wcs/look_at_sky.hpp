#pragma once

#include <functional>
#include <span>
#include <string>

#include "stages/catalogue/local_sky.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Converts the sky around a position from the header's system to J2000.
LocalSky in_j2000(LocalSky sky);

/// Computes position and pixel steps on the sky at every (x[i], y[i]), where the centre of the first pixel is (1, 1).
/// Calls keep(i, sky) for each, on several threads. Steps are measured between the middles of opposite sides of a pixel
/// around the position, with all distortions. Returns an empty string, or the reason why there is no sky, as
/// find_on_sky does.
std::string look_at_sky(const std::string& header, std::span<const double> x, std::span<const double> y,
                        const std::function<void(std::size_t, const LocalSky&)>& keep, const Cpu& where = {});

}  // namespace srcextract

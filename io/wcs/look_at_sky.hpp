#pragma once

#include <functional>
#include <span>
#include <string>

#include "stages/catalogue/local_sky.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Returns `sky` with coordinates and steps of the header's system replaced by those of J2000.
LocalSky in_j2000(LocalSky sky);

/// Computes position and pixel steps on the sky at every (x[i], y[i]), where (1, 1) is the centre of the first pixel.
/// Calls keep(i, sky) for each i, from several threads. Steps are measured between the middles of opposite sides of a
/// pixel centred on the position, and include all distortions. Returns an empty string, or, as find_on_sky() does, the
/// reason why there are no sky positions.
std::string look_at_sky(const std::string& header, std::span<const double> x, std::span<const double> y,
                        const std::function<void(std::size_t, const LocalSky&)>& keep, const Cpu& where = {});

}  // namespace srcextract

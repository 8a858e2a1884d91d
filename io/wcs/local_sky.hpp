#pragma once

#include <functional>
#include <span>
#include <string>

#include "stages/catalogue/local_sky.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// The sky with J2000 values in place of those in the header's system.
LocalSky in_j2000(LocalSky sky);

/// Calls keep(i, sky) for every place (x[i], y[i]), on several threads; the centre of the first pixel is (1, 1). Steps
/// are measured between the middles of opposite sides of a pixel around the place, with all distortions. Returns an
/// empty string, or the reason why there is no sky, as find_on_sky does.
std::string look_at_sky(const std::string& header, std::span<const double> x, std::span<const double> y,
                        const std::function<void(std::size_t, const LocalSky&)>& keep, const Cpu& where = {});

}  // namespace srcextract

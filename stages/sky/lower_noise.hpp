#pragma once

#include <functional>

#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/background.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// Measures the noise of a filtered image from its pixels below the sky alone, so that neither sources nor an
/// unresolved crowd raise it much, and pixels that share their noise count as they are. `image` has a sky of 0. `noise`
/// and `sky` are those of the image before it was filtered. `white` is the sigma that the filter makes of independent
/// pixels of sigma 1. If the image is `negated`, for sources fainter than the sky, its pixels *above* 0 are read: they
/// are those that were below, and the others hold the stars.
/// - In each mesh the depths of the pixels below 0 tell the noise (Depths::noise). Divided by the rms of the mesh's
///   pixels, and by `white`, it is the *factor* there. In meshes of 32 rows or more every second row is read.
/// - A mesh in which too few pixels are below 0 gets the mean factor of the nearest other meshes.
/// - A wide median filter of the factors drops the meshes in which light varies as noise does.
/// - A node is the factor times `white` times the rms (noise_by_factor). It is raised to least_of_neighbour times the
/// largest node beside it: where
///   noise rises in a step, the pixels of the noisier side count in that side's noise.
/// - Between nodes the noise is a spline within their range (SkyMesh::rms_bounded).
///
/// Returns a sky whose level is 0. Its clipped.sigma is the sigma of `sky` times what the filter makes of the noise:
/// the median over the nodes of the filtered noise divided by that of pixels. In an image of two depths the median
/// noise before the filter may be that of the one, and after it that of the other. Nodes of its mesh are in the unit of
/// *pixels*: they are divided by that median, so that a threshold that counts in the noise of pixels, of a mesh or of a
/// map, can count in them.
///
/// If the pixels below 0 do not tell the noise (tells_noise), the result is `clipped()` instead, level and noise of the
/// filtered image as clipping finds them, with the nodes of `noise`. CUDA always calls clipped(), since the host does
/// not wait for what the device finds.
template <class Where>
using ClippedNoise = std::function<Value<Background, Where>()>;
MeshSky<Cpu> lower_noise(const Image<float, Cpu>& image, const SkyMesh<Cpu>& noise, const Value<Background, Cpu>& sky,
                         double white, bool negated, const ClippedNoise<Cpu>& clipped, const BackgroundConfig& config,
                         const Cpu& where);
MeshSky<Gpu> lower_noise(const Image<float, Gpu>& image, const SkyMesh<Gpu>& noise, const Value<Background, Gpu>& sky,
                         double white, bool negated, const ClippedNoise<Gpu>& clipped, const BackgroundConfig& config,
                         const Gpu& where);

}  // namespace srcextract

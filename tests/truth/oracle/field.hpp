#pragma once

#include <cstddef>
#include <iosfwd>
#include <vector>

namespace srcextract::oracle {

/// Pixels of an image; column x and row y count from 0.
template <class T>
struct Plane {
  int width = 0, height = 0;
  std::vector<T> values;

  bool empty() const { return values.empty(); }
  bool has(int x, int y) const { return x >= 0 && x < width && y >= 0 && y < height; }
  T& at(int x, int y) { return values[static_cast<std::size_t>(y) * width + x]; }
  const T& at(int x, int y) const { return values[static_cast<std::size_t>(y) * width + x]; }
};

/// What an aperture makes of pixels that belong to another source (MASK_TYPE).
enum class Masking { none, blank, correct };

/// SExtractor's settings under its own names in small letters, and the two choices that are ours: who gets the pixels
/// that belong to no core, and in which order CLEAN compares.
struct Settings {
  double detect_thresh = 1.5, analysis_thresh = 1.5;  ///< in noises of the pixel
  int detect_minarea = 5;
  int deblend_nthresh = 32;
  double deblend_mincont = 0.005;
  bool random_leftovers = true;  ///< drawn with rand(), as SExtractor does; or to the most probable source
  unsigned seed = 1;             ///< of rand(); SExtractor leaves it at 1
  bool clean = true, streaming_clean = true;
  double clean_param = 1;
  Masking masking = Masking::correct;
  double gain = 0;  ///< electrons per unit; 0: infinite
  double satur_level = 50000;
  double kron_factor = 2.5, kron_minimum = 3.5;
  double petro_factor = 2, petro_minimum = 3.5;
  double weight_thresh = 1e30;  ///< a pixel of at least this variance is bad
  bool weight_gain = true;      ///< the gain varies as the weights do
  std::vector<double> phot_apertures, phot_fluxfrac;
  bool automatic = true, petro = true, win = true;  ///< families that are asked for: FLAGS depend on it
};

/// An image above its sky, with what is needed to tell what is significant in it.
struct Field {
  Plane<float> image;      ///< above the sky, and interpolated where it is bad
  Plane<float> variance;   ///< of each pixel, or empty: the noise is `noise` everywhere
  float noise = 1;         ///< the global one, of the meshes
  Plane<float> sky_nodes;  ///< the level at the centres of meshes
  int mesh_width = 64, mesh_height = 64;
  int kernel_width = 1, kernel_height = 1;
  std::vector<float> kernel{1};  ///< normalised

  Plane<float> filtered, filtered_variance;  ///< by the kernel
};

/// Reads lines "name value...", then after the line "data" float32 numbers: the image, the variances if there is a line
/// "variance 1", and the nodes if there is "nodes NX NY".
void read_field(std::istream& in, Settings& settings, Field& field);

/// The sky as the column BACKGROUND and the test for saturation have it: linear between the nodes, not the spline.
double sky_at(const Field& field, double x, double y);

}  // namespace srcextract::oracle

#include <algorithm>
#include <cmath>
#include <istream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tests/truth/oracle/field.hpp"

namespace srcextract::oracle {
namespace {

std::vector<double> numbers(std::istringstream& line) {
  std::vector<double> found;
  for (double one = 0; line >> one;) found.push_back(one);
  return found;
}

void read_plane(std::istream& in, Plane<float>& plane) {
  plane.values.resize(static_cast<std::size_t>(plane.width) * plane.height);
  in.read(reinterpret_cast<char*>(plane.values.data()), static_cast<std::streamsize>(4 * plane.values.size()));
  if (!in) throw std::runtime_error("there is less data than the header tells");
}

/// Divided by the sum of absolute values (NORM).
std::vector<float> normalised(const std::vector<double>& numbers) {
  float sum = 0;
  for (std::size_t i = 2; i < numbers.size(); ++i) sum += std::abs(static_cast<float>(numbers[i]));
  std::vector<float> kernel;
  for (std::size_t i = 2; i < numbers.size(); ++i) kernel.push_back(static_cast<float>(numbers[i]) / sum);
  return kernel;
}

void set(const std::string& name, const std::vector<double>& values, Settings& settings, Field& field) {
  const double one = values.at(0);
  const bool yes = one != 0;
  if (name == "size") {
    field.image.width = static_cast<int>(one);
    field.image.height = static_cast<int>(values.at(1));
  } else if (name == "nodes") {
    field.sky_nodes.width = static_cast<int>(one);
    field.sky_nodes.height = static_cast<int>(values.at(1));
  } else if (name == "mesh") {
    field.mesh_width = static_cast<int>(one);
    field.mesh_height = static_cast<int>(values.at(1));
  } else if (name == "kernel") {
    field.kernel_width = static_cast<int>(one);
    field.kernel_height = static_cast<int>(values.at(1));
    field.kernel = normalised(values);
  } else if (name == "variance") {
    if (yes) field.variance = {field.image.width, field.image.height, {}};
  } else if (name == "noise") {
    field.noise = static_cast<float>(one);
  } else if (name == "detect_thresh") {
    settings.detect_thresh = one;
  } else if (name == "analysis_thresh") {
    settings.analysis_thresh = one;
  } else if (name == "detect_minarea") {
    settings.detect_minarea = static_cast<int>(one);
  } else if (name == "deblend_nthresh") {
    settings.deblend_nthresh = static_cast<int>(one);
  } else if (name == "deblend_mincont") {
    settings.deblend_mincont = one;
  } else if (name == "random_leftovers") {
    settings.random_leftovers = yes;
  } else if (name == "clean") {
    settings.clean = yes;
  } else if (name == "streaming_clean") {
    settings.streaming_clean = yes;
  } else if (name == "clean_param") {
    settings.clean_param = one;
  } else if (name == "masking") {
    settings.masking = static_cast<Masking>(static_cast<int>(one));
  } else if (name == "gain") {
    settings.gain = one;
  } else if (name == "weight_gain") {
    settings.weight_gain = yes;
  } else if (name == "weight_thresh") {
    settings.weight_thresh = one;
  } else if (name == "satur_level") {
    settings.satur_level = one;
  } else if (name == "phot_apertures") {
    settings.phot_apertures = values;
  } else if (name == "phot_fluxfrac") {
    settings.phot_fluxfrac = values;
  } else if (name == "phot_autoparams") {
    settings.kron_factor = one;
    settings.kron_minimum = values.at(1);
  } else if (name == "phot_petroparams") {
    settings.petro_factor = one;
    settings.petro_minimum = values.at(1);
  } else if (name == "families") {  // AUTO, PETRO, WIN
    settings.automatic = yes;
    settings.petro = values.at(1) != 0;
    settings.win = values.at(2) != 0;
  } else {
    throw std::runtime_error("there is no setting '" + name + "'");
  }
}

}  // namespace

void read_field(std::istream& in, Settings& settings, Field& field) {
  for (std::string text; std::getline(in, text) && text != "data";) {
    std::istringstream line(text);
    std::string name;
    if (line >> name) set(name, numbers(line), settings, field);
  }
  read_plane(in, field.image);
  if (field.variance.width > 0) read_plane(in, field.variance);
  if (field.sky_nodes.width > 0) read_plane(in, field.sky_nodes);
}

double sky_at(const Field& field, double x, double y) {
  const Plane<float>& nodes = field.sky_nodes;
  if (nodes.empty()) return 0;
  // At the pixel in which the position is; the outer half meshes are continued linearly.
  const double across = static_cast<int>(x + 0.5) / static_cast<double>(field.mesh_width) - 0.5;
  const double down = static_cast<int>(y + 0.5) / static_cast<double>(field.mesh_height) - 0.5;
  const int i = std::clamp(static_cast<int>(across), 0, std::max(0, nodes.width - 2));
  const int j = std::clamp(static_cast<int>(down), 0, std::max(0, nodes.height - 2));
  const int right = std::min(i + 1, nodes.width - 1), below = std::min(j + 1, nodes.height - 1);
  const double p = across - i, q = down - j;
  return (1 - q) * ((1 - p) * nodes.at(i, j) + p * nodes.at(right, j)) +
         q * ((1 - p) * nodes.at(i, below) + p * nodes.at(right, below));
}

}  // namespace srcextract::oracle

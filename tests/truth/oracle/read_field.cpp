#include <algorithm>
#include <cmath>
#include <functional>
#include <istream>
#include <map>
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

using Numbers = std::vector<double>;
using Setters = std::map<std::string, std::function<void(const Numbers&)>>;

template <class T>
auto to(T& setting) {
  return [&setting](const Numbers& given) { setting = static_cast<T>(given.at(0)); };
}

template <class A, class B>
auto to(A& first, B& second) {
  return [&first, &second](const Numbers& given) {
    first = static_cast<A>(given.at(0));
    second = static_cast<B>(given.at(1));
  };
}

Setters setters_of(Settings& s, Field& field) {
  return {{"size", to(field.image.width, field.image.height)},
          {"noise", to(field.noise)},
          {"nodes", to(field.sky_nodes.width, field.sky_nodes.height)},
          {"mesh", to(field.mesh_width, field.mesh_height)},
          {"kernel",
           [&field](const Numbers& given) {
             to(field.kernel_width, field.kernel_height)(given);
             field.kernel = normalised(given);
           }},
          {"variance",
           [&field](const Numbers& given) {
             if (given.at(0) != 0) field.variance = {field.image.width, field.image.height, {}};
           }},
          {"detect_thresh", to(s.detect_thresh)},
          {"analysis_thresh", to(s.analysis_thresh)},
          {"detect_minarea", to(s.detect_minarea)},
          {"deblend_nthresh", to(s.deblend_nthresh)},
          {"deblend_mincont", to(s.deblend_mincont)},
          {"random_leftovers", to(s.random_leftovers)},
          {"seed", to(s.seed)},
          {"clean", to(s.clean)},
          {"streaming_clean", to(s.streaming_clean)},
          {"clean_param", to(s.clean_param)},
          {"masking", [&s](const Numbers& given) { s.masking = static_cast<Masking>(static_cast<int>(given.at(0))); }},
          {"gain", to(s.gain)},
          {"weight_gain", to(s.weight_gain)},
          {"weight_thresh", to(s.weight_thresh)},
          {"satur_level", to(s.satur_level)},
          {"phot_apertures", [&s](const Numbers& given) { s.phot_apertures = given; }},
          {"phot_fluxfrac", [&s](const Numbers& given) { s.phot_fluxfrac = given; }},
          {"phot_autoparams", to(s.kron_factor, s.kron_minimum)},
          {"phot_petroparams", to(s.petro_factor, s.petro_minimum)},
          {"auto", to(s.automatic)},
          {"petro", to(s.petro)},
          {"win", to(s.win)}};
}

}  // namespace

void read_field(std::istream& in, Settings& settings, Field& field) {
  const Setters setters = setters_of(settings, field);
  for (std::string text; std::getline(in, text) && text != "data";) {
    std::istringstream line(text);
    std::string name;
    if (!(line >> name)) continue;
    const auto found = setters.find(name);
    if (found == setters.end()) throw std::runtime_error("there is no setting '" + name + "'");
    found->second(numbers(line));
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

// Combines planes for tests/truth/test_combine.py: read from stdin one case after the other, each as int32 width,
// height, number of planes; of every plane a double weight, sky and sigma; and the planes, a float a pixel. To stdout
// goes a float a pixel, and the number of masked pixels that the result says as int64.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "stages/combine/combine.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/settings/keys.hpp"
#include "tests/truth/programs/stage_program.hpp"

namespace srcextract {
namespace {

using testing::Backend;

struct PlaneOnHost {
  std::array<double, 3> weight_sky_sigma{};
  std::vector<float> pixels;
};

struct Case {
  Shape shape;
  std::vector<PlaneOnHost> planes;
};

template <class T>
bool read(std::istream& in, T* to, std::size_t count) {
  return static_cast<bool>(in.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(T))));
}

std::optional<Case> read_case(std::istream& in) {
  std::array<std::int32_t, 3> head{};
  if (!read(in, head.data(), head.size())) return std::nullopt;
  Case result{{head[0], head[1]}, std::vector<PlaneOnHost>(static_cast<std::size_t>(head[2]))};
  bool complete = true;
  for (PlaneOnHost& plane : result.planes) complete &= read(in, plane.weight_sky_sigma.data(), 3);
  for (PlaneOnHost& plane : result.planes) {
    plane.pixels.resize(static_cast<std::size_t>(result.shape.count()));
    complete &= read(in, plane.pixels.data(), plane.pixels.size());
  }
  if (!complete) throw Error(ErrorKind::input, "the last case is cut short");
  return result;
}

PixelSource source_of(const Case& input, const PlaneOnHost& plane) {
  return {input.shape, {.big_endian = false}, [&plane](std::int64_t first, std::int64_t count, std::byte* out) {
            std::copy_n(reinterpret_cast<const std::byte*>(plane.pixels.data() + first),
                        static_cast<std::size_t>(count) * sizeof(float), out);
          }};
}

template <class Where>
void combine_case(const Backend<Where>& backend, const Case& input, CombineConfig config) {
  std::vector<Pixels<Where>> planes;
  std::vector<Value<Background, Where>> skies;
  for (const PlaneOnHost& plane : input.planes) {
    planes.push_back(ingest(source_of(input, plane), backend.where()));
    config.weights.push_back(plane.weight_sky_sigma[0]);
    Background sky;
    sky.clipped.median = plane.weight_sky_sigma[1];
    sky.clipped.sigma = plane.weight_sky_sigma[2];
    skies.push_back(backend.put_value(sky));
  }
  Pixels<Where> out(input.shape, backend.where());
  combine_planes(planes, skies, config, out, backend.where());
  const std::vector<float> pixels = backend.get(out.image.pixels);
  const std::int64_t masked = fetch(out.masked, backend.where()).total();
  std::cout.write(reinterpret_cast<const char*>(pixels.data()),
                  static_cast<std::streamsize>(pixels.size() * sizeof(float)));
  std::cout.write(reinterpret_cast<const char*>(&masked), sizeof(masked));
}

template <class Where>
void combine_all(const Backend<Where>& backend, const CombineConfig& config) {
  while (const std::optional<Case> input = read_case(std::cin)) combine_case(backend, *input, config);
}

/// The method of that name. Throws Error{config} if there is none.
CombineMethod method_called(const std::string& name) {
  const std::vector<std::string> names = names_of(CombineMethod{});
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw Error(ErrorKind::config, "no method '" + name + "'");
  return static_cast<CombineMethod>(found - names.begin());
}

}  // namespace
}  // namespace srcextract

int main(int argc, char** argv) {
  const std::string backend = argc == 3 ? argv[1] : "";
  return srcextract::testing::work_on("combine_planes", backend, [&](const auto& where) {
    srcextract::CombineConfig config;
    config.method = srcextract::method_called(argv[2]);
    srcextract::combine_all(where, config);
  });
}

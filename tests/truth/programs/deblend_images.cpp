// Deblends images for tests/truth/support/deblend_truth.py: read from stdin one after the other, each as int32 width,
// height, connectivity, minimal area, number of levels and threads, float64 contrast and threshold, and float32 pixels,
// first of the image in which sources are found, then of the one that is measured. To stdout go the label of every
// pixel and the number of sources, as int32, and of every source x and y of its core and, as float64 too, parent, split
// and edge.
#include <array>
#include <optional>

#include "stages/deblend/deblend.hpp"
#include "tests/truth/programs/stage_program.hpp"

namespace srcextract {
namespace {

struct Request {
  std::array<std::int32_t, 6> head{};
  std::array<double, 2> levels{};  ///< contrast and threshold
  Image<float, Cpu> found, measured;
};

template <class T>
std::istream& read(T* values, std::int64_t count) {
  return std::cin.read(reinterpret_cast<char*>(values), count * static_cast<std::int64_t>(sizeof(T)));
}

template <class T>
void write(const T* values, std::int64_t count) {
  std::cout.write(reinterpret_cast<const char*>(values), count * static_cast<std::int64_t>(sizeof(T)));
}

std::optional<Request> read_request() {
  Request request;
  if (!read(request.head.data(), std::ssize(request.head))) return std::nullopt;
  const Shape shape{request.head[0], request.head[1]};
  request.found = Image<float, Cpu>(shape, Cpu{});
  request.measured = Image<float, Cpu>(shape, Cpu{});
  if (!read(request.levels.data(), std::ssize(request.levels)) || !read(request.found.pixels.data(), shape.count()) ||
      !read(request.measured.pixels.data(), shape.count()))
    throw Error(ErrorKind::input, "the last image is cut short");
  return request;
}

void deblend_image(const Request& request) {
  const Cpu where{request.head[5]};
  Settings config;
  config.detection.connectivity = request.head[2];
  config.detection.min_area = request.head[3];
  config.deblend = {DeblendMethod::tree, request.head[4], request.levels[0]};
  Levels levels;
  levels.detection = request.levels[1];
  const Runs<Cpu> runs = find_runs(request.found, levels, where);
  const Components<Cpu> islands = label_components(runs, config.detection, where);
  const Value<Levels, Cpu> given = levels;
  const auto deblended = deblend_sources({request.found, request.measured, given, {}}, runs, islands, config, where);
  Buffer<std::int32_t, Cpu> labels(request.found.shape.count(), where);
  std::fill(labels.begin(), labels.end(), 0);
  for (std::int64_t i = 0; i < deblended.runs.runs.size(); ++i) {
    const Run& run = deblended.runs.runs[i];
    std::int32_t* const row = labels.data() + run.y * request.found.shape.width;
    std::fill(row + run.begin, row + run.end, deblended.components.label[i]);
  }
  write(labels.data(), labels.size());
  const auto sources = static_cast<std::int32_t>(deblended.components.counts->kept);
  write(&sources, 1);
  for (const Parentage& source : deblended.parentage) {
    const std::array<double, 5> row = {source.x, source.y, static_cast<double>(source.parent),
                                       static_cast<double>(source.split), static_cast<double>(source.edge)};
    write(row.data(), std::ssize(row));
  }
}

}  // namespace
}  // namespace srcextract

int main(int argc, char** argv) {
  return srcextract::testing::work_on_backend("deblend_images", argc, argv, [](const auto&) {
    while (const auto request = srcextract::read_request()) srcextract::deblend_image(*request);
  });
}

// Measures the sources that the plain definitions (tests/truth/oracle) find in a field by the families of measurements
// (stages/photometry/families.hpp), for tests/truth/test_families.py: reads what sextractor_oracle reads, and writes
// the same table, a row for each object in the order of completion, of the columns that families have. The argument is
// the number of threads.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "stages/measure/columns.hpp"
#include "stages/photometry/photometry.hpp"
#include "stages/photometry/photometry_columns.hpp"
#include "tests/truth/oracle/detect.hpp"
#include "tests/truth/oracle/extract.hpp"
#include "tests/truth/oracle/masks.hpp"

namespace srcextract {
namespace {

using oracle::Field;
using oracle::Object;
using oracle::Plane;
using oracle::Settings;

/// Whose every pixel is: the row of its source from 1, 0 for what is too small, -1 for nobody's.
Plane<std::int32_t> owners_of(const std::vector<Object>& objects, const Field& field, const Settings& settings) {
  Plane<std::int32_t> owner{field.image.width, field.image.height, {}};
  owner.values.assign(field.image.values.size(), -1);
  for (const oracle::Pixel& pixel : oracle::threshold(field, settings)) owner.at(pixel.x, pixel.y) = 0;
  for (const Object& object : objects)
    for (const oracle::Pixel& pixel : object.pixels) owner.at(pixel.x, pixel.y) = object.number + 1;
  return owner;
}

/// As the stages find them: runs along rows, and the label of each.
struct Found {
  Runs<Cpu> runs;
  Components<Cpu> components;
};

Found runs_of(const Plane<std::int32_t>& owner, std::size_t sources) {
  std::vector<Run> runs;
  std::vector<std::int32_t> labels;
  std::vector<std::int64_t> row_begin{0};
  for (int y = 0; y < owner.height; ++y) {
    for (int x = 0; x < owner.width; ++x) {
      const std::int32_t label = owner.at(x, y);
      if (label < 0) continue;
      if (x > 0 && owner.at(x - 1, y) == label) {
        ++runs.back().end;
      } else {
        runs.push_back({y, x, x + 1});
        labels.push_back(label);
      }
    }
    row_begin.push_back(std::ssize(runs));
  }
  const auto kept = [](const auto& values) {
    Buffer<std::remove_cvref_t<decltype(values[0])>, Cpu> buffer(std::ssize(values), Cpu{});
    std::copy(values.begin(), values.end(), buffer.begin());
    return buffer;
  };
  Found found;
  found.runs = {{owner.width, owner.height}, kept(runs), kept(row_begin)};
  found.components.label = kept(labels);
  found.components.counts->kept = found.components.counts->found = static_cast<std::int64_t>(sources);
  return found;
}

Image<float, Cpu> image_of(const Plane<float>& plane) {
  Image<float, Cpu> image(Shape{plane.width, plane.height}, Cpu{});
  std::copy(plane.values.begin(), plane.values.end(), image.pixels.begin());
  return image;
}

Buffer<Parentage, Cpu> parentage_of(const std::vector<Object>& objects) {
  Buffer<Parentage, Cpu> parentage(std::ssize(objects), Cpu{});
  for (const Object& object : objects) {
    const bool split = (object.flags & oracle::split) != 0;
    parentage[object.number] = {split ? object.core_x : 0, split ? object.core_y : 0, object.parent, split ? 1 : 0, 0};
  }
  return parentage;
}

struct Measured {
  Photometry<Cpu> families;
  Sources sources;  ///< by their own pixels
  std::vector<FluxCalibration> calibration;
};

Measured measure(const std::vector<Object>& objects, const Field& field, const Settings& settings,
                 const srcextract::Settings& config, const Cpu& where) {
  const Found found = runs_of(owners_of(objects, field, settings), objects.size());
  Levels levels;
  levels.detection = static_cast<float>(settings.analysis_thresh * field.noise);
  levels.sigma = field.noise;
  const Value<Levels, Cpu> given = levels;
  const Value<MaskCounts, Cpu> none = MaskCounts{};
  const auto sums = measure_sources(image_of(field.filtered), found.runs, found.components, given, none, where);
  const Image<float, Cpu> image = image_of(field.image);
  const Image<float, Cpu> variance = field.variance.empty() ? Image<float, Cpu>{} : image_of(field.variance);
  const Buffer<Parentage, Cpu> parentage = parentage_of(objects);
  const auto fluxes = measure_sources(image, found.runs, found.components, given, none, where);
  Measured out;
  out.families =
      measure_photometry({image, variance, given, found.runs, found.components, sums, parentage}, config, where);
  out.calibration.resize(objects.size());
  MeasuredSums by_pixels{{sums.begin(), sums.end()}, {fluxes.begin(), fluxes.end()}};
  by_pixels.deblended = true;
  by_pixels.parentage = {parentage.begin(), parentage.end()};
  out.sources = derive_columns(by_pixels, image.shape, levels, config.measurement, where, out.calibration);
  if (!field.variance.empty())
    for (FluxCalibration& one : out.calibration) one.pixel = 1;
  return out;
}

srcextract::Settings config_of(const Settings& settings) {
  srcextract::Settings config;
  config.output.columns = {"all"};
  config.measurement.gain = settings.gain;
  config.measurement.kron = {settings.kron_factor, settings.kron_minimum};
  config.measurement.petrosian = {settings.petro_factor, settings.petro_minimum};
  config.measurement.flux_radius = settings.phot_fluxfrac;
  config.measurement.apertures = settings.phot_apertures;
  config.measurement.mask = settings.masking == oracle::Masking::none    ? MaskNeighbours::none
                            : settings.masking == oracle::Masking::blank ? MaskNeighbours::blank
                                                                         : MaskNeighbours::correct;
  return config;
}

struct NamedColumn {
  std::string name;
  std::vector<double> values;
};

/// Every column, and the bits of FLAGS that families set. Columns of circles and light radii are numbered from 0.
std::vector<NamedColumn> columns_of(const Measured& measured, const srcextract::Settings& config) {
  Sources sources = measured.sources;
  std::ranges::fill(sources[columns::flags], std::int16_t{0});
  add_measured_columns(measured.families, measured.calibration, config, sources);
  std::vector<NamedColumn> columns;
  for (const CatalogColumn& further : sources.columns) {
    if (further.part != CatalogPart::requested) continue;
    const auto declared = std::ranges::find_if(
        declared_columns(), [&](const DeclaredColumn& one) { return one.column.name == common_name(further.name); });
    const bool first = declared->repeated && further.name == declared->column.name;
    NamedColumn column{further.name + (first ? "_0" : ""), {}};
    std::visit([&](const auto& values) { column.values.assign(values.begin(), values.end()); }, further.values);
    columns.push_back(std::move(column));
  }
  const std::vector<std::int16_t>& flags = sources[columns::flags];
  columns.push_back({"FLAGS", {flags.begin(), flags.end()}});
  return columns;
}

void write(const std::vector<NamedColumn>& columns, std::size_t sources) {
  for (const NamedColumn& column : columns) std::cout << column.name << ' ';
  std::cout << '\n' << std::setprecision(17);
  for (std::size_t i = 0; i < sources; ++i) {
    for (const NamedColumn& column : columns) std::cout << column.values[i] << ' ';
    std::cout << '\n';
  }
}

void run(const Cpu& where) {
  Settings settings;
  Field field;
  oracle::read_field(std::cin, settings, field);
  settings.clean = false;
  std::srand(settings.seed);
  const std::vector<Object> objects = oracle::find_objects(field, settings);
  const srcextract::Settings config = config_of(settings);
  write(columns_of(measure(objects, field, settings, config, where), config), objects.size());
}

}  // namespace
}  // namespace srcextract

int main(int argc, char** argv) {
  try {
    srcextract::run(srcextract::Cpu{argc == 2 ? std::stoi(argv[1]) : 1});
    return std::cout.flush() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "measure_families: " << error.what() << '\n';
    return 1;
  }
}

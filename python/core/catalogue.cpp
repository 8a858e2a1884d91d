#include "python/core/catalogue.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "io/catalog/catalog_writers.hpp"
#include "io/catalog/table_writer.hpp"
#include "pipeline/image/open_image.hpp"
#include "pipeline/outputs/completeness/measure_completeness.hpp"
#include "pipeline/outputs/components/component_styles.hpp"
#include "pipeline/outputs/components/component_table.hpp"
#include "pipeline/outputs/image_head.hpp"
#include "pipeline/outputs/injection/inject_gaussians.hpp"
#include "pipeline/outputs/psf_files.hpp"
#include "pipeline/outputs/report/report.hpp"
#include "pipeline/outputs/sky_rows.hpp"
#include "pipeline/outputs/vignets.hpp"
#include "python/core/arrays.hpp"
#include "python/core/catalogue_state.hpp"
#include "python/core/gil.hpp"
#include "python/core/psf.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "stages/detect/label_image.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

/// Makes a NumPy array that shares the values of a column. Texts are copied.
nb::object array_of(ColumnValues& values, nb::handle owner) {
  return std::visit(
      [&]<class T>(std::vector<T>& held) -> nb::object {
        if constexpr (std::is_same_v<T, std::string>) {
          nb::list texts;
          for (const std::string& text : held)
            texts.append(nb::steal(PyUnicode_DecodeUTF8(text.data(), std::ssize(text), "replace")));
          return nb::module_::import_("numpy").attr("array")(texts, "str");
        } else {
          return numpy_array(held.data(), {held.size()}, owner);
        }
      },
      values);
}

/// Appends the columns of a table to a list, as tuples (name, values, unit, UCD, description).
void append_columns(Table& table, nb::handle owner, nb::list& columns) {
  for (TableColumn& column : table.columns)
    columns.append(
        nb::make_tuple(column.name, array_of(column.values, owner), column.unit, column.ucd, column.description));
}

/// All columns of the catalogue as tuples (name, values, unit, UCD, description). Columns copied from a table of
/// positions come last.
nb::list columns_of(nb::handle self) {
  auto& catalogue = nb::cast<Catalogue&>(self);
  nb::list columns;
  for_each_column(WrittenColumns{catalogue.result.extraction.sources}, [&](const Column& column, const auto& values) {
    columns.append(nb::make_tuple(column.name, numpy_array(values.data(), {values.size()}, self),
                                  unit_of(column, catalogue.metadata), column.ucd, column.description));
  });
  append_columns(catalogue.carried, self, columns);
  return columns;
}

/// The columns of the fitted Gaussians, or of the sources that consist of Gaussians, as a list like that of
/// columns_of().
nb::list fitted_columns(nb::handle self, bool gaussians) {
  auto& catalogue = nb::cast<Catalogue&>(self);
  if (!catalogue.result.extraction.fitted)
    throw Error(ErrorKind::config,
                "no Gaussians were fitted; extract the image with config=\"radio\", or with fit__model=\"gaussians\"");
  nb::list columns;
  append_columns(gaussians ? catalogue.gaussians : catalogue.sources, self, columns);
  return columns;
}

const FoundPsf& found_psf(const Catalogue& catalogue) {
  if (catalogue.result.psf != nullptr) return *catalogue.result.psf;
  throw Error(
      ErrorKind::config,
      "no PSF was made from the image; use fit_psf, or extract it with psf__method=\"fit\" and a column of PSFs");
}

Psf psf_of(const Catalogue& catalogue) {
  return psf_of_table(found_psf(catalogue).made.table, catalogue.name);
}

/// The columns of the sources that were considered for the PSF, as a list like that of columns_of().
nb::list stars_of(nb::handle self) {
  auto& catalogue = nb::cast<Catalogue&>(self);
  if (catalogue.stars.columns.empty()) catalogue.stars = star_table(found_psf(catalogue).stars);
  nb::list columns;
  append_columns(catalogue.stars, self, columns);
  return columns;
}

enum class SkyPart { level, rms };

/// A NumPy image of the sky's level or noise.
nb::object sky_of(const Catalogue& catalogue, SkyPart part) {
  Image<float, Cpu> image;
  {
    const WithoutGil others;
    const std::int64_t width = catalogue.shape.width;
    image = Image<float, Cpu>(catalogue.shape, catalogue.cpu);
    parallel_for(catalogue.shape.height, 64, catalogue.cpu, [&](std::int64_t begin, std::int64_t end) {
      SkyRows sky(catalogue.result.extraction);
      for (std::int64_t y = begin; y < end; ++y) {
        float* const row = image.pixels.data() + y * width;
        part == SkyPart::level ? sky.level(y, row, width) : sky.rms(y, row, width);
      }
    });
  }
  return numpy_image(std::move(image));
}

/// A NumPy image with the NUMBER of the source in each pixel; 0: no source.
nb::object segmentation_of(const Catalogue& catalogue) {
  if (!catalogue.config.kept.segmentation)
    throw Error(ErrorKind::config,
                "the segmentation was not kept, as segmentation=False asked; extract the image with segmentation=True");
  Image<std::int32_t, Cpu> image;
  {
    const WithoutGil others;
    const Extraction& extraction = catalogue.result.extraction;
    const bool found = !extraction.runs.row_begin.empty();
    image = found ? map_labels(extraction.runs, extraction.label, catalogue.cpu)
                  : map_labels({catalogue.shape, {}, {}}, {}, catalogue.cpu);
  }
  return numpy_image(std::move(image));
}

/// The format named `format`, or without a name the format of the path's ending.
CatalogFormat format_of(const std::string& path, const std::optional<std::string>& format) {
  if (!format) return format_of_ending(path).format;
  const auto found = std::ranges::find(catalog_formats, *format, &FormatNames::name);
  if (found != catalog_formats.end()) return found->format;
  std::string known;
  for (const FormatNames& names : catalog_formats) known += (known.empty() ? "" : ", ") + std::string(names.name);
  throw Error(ErrorKind::config, "'" + *format + "' is no format of catalogues; there are " + known);
}

using RowNumbers = std::vector<std::int64_t>;

/// Keeps only the given rows of `values`, which has `each` values per row.
template <class T>
void keep_rows(std::vector<T>& values, const RowNumbers& rows, std::int64_t each = 1) {
  std::vector<T> kept;
  kept.reserve(rows.size() * static_cast<std::size_t>(each));
  for (const std::int64_t row : rows)
    kept.insert(kept.end(), values.begin() + row * each, values.begin() + (row + 1) * each);
  values = std::move(kept);
}

/// Keeps only the given rows of all columns.
template <class AnyColumn>
void keep_rows_of_columns(std::vector<AnyColumn>& columns, const RowNumbers& rows) {
  for (AnyColumn& column : columns) std::visit([&](auto& values) { keep_rows(values, rows); }, column.values);
}

/// Keeps only the named columns, in the order of the names. Code reads some others, such as positions: they stay behind
/// these, and are not written.
void keep_columns(Sources& sources, Table& carried, const std::vector<std::string>& names) {
  const auto place = [&](const auto& column) { return std::ranges::find(names, std::string_view(column.name)); };
  const auto is_named = [&](const auto& column) { return place(column) != names.end(); };
  std::vector<std::string> written;
  for (const CatalogColumn& one : sources.columns)
    if (is_named(one)) written.emplace_back(common_name(one.name));
  std::erase_if(sources.columns, [&](const CatalogColumn& one) {
    return !is_named(one) && std::ranges::count(written, common_name(one.name)) > 0;
  });
  std::ranges::stable_sort(sources.columns, {}, place);
  sources.written = std::move(written);
  std::erase_if(carried.columns, [&](const TableColumn& one) { return !is_named(one); });
  std::ranges::stable_sort(carried.columns, {}, place);
  if (carried.columns.empty()) carried.rows = 0;
}

/// Writes the catalogue, or only the given rows, all of which must exist, and columns.
void write(const Catalogue& catalogue, const std::string& path, const std::optional<std::string>& format,
           const std::optional<RowNumbers>& rows, const std::optional<std::vector<std::string>>& columns) {
  const WithoutGil others;
  const CatalogFormat chosen = format_of(path, format);
  const Extraction& extraction = catalogue.result.extraction;
  Vignets vignets = catalogue.vignets ? *catalogue.vignets : cut_vignets(extraction, catalogue.config, catalogue.cpu);
  std::vector<OutputFile> files;
  const auto add = [&](const Sources& sources, const Table& carried) {
    files.push_back(write_catalog(path, chosen, sources, catalogue.metadata, catalogue.cpu, vignets, carried));
  };
  if (rows || columns) {
    Sources sources = extraction.sources;
    Table carried = catalogue.carried;
    if (columns) {
      keep_columns(sources, carried, *columns);
      vignets = {};
    }
    if (rows) {
      keep_rows_of_columns(sources.columns, *rows);
      keep_rows_of_columns(carried.columns, *rows);
      carried.rows = carried.columns.empty() ? 0 : std::ssize(*rows);
      if (vignets.size.any()) keep_rows(vignets.pixels, *rows, std::int64_t{vignets.size.width} * vignets.size.height);
    }
    add(sources, carried);
  } else {
    add(extraction.sources, catalogue.carried);
  }
  commit(files, Flush::now);
}

/// The HTML page of output.report.
std::string report_of(const ImageInput& input, const ImageResult& result, const Execution& run,
                      const CatalogMetadata& metadata) {
  double seconds = 0;
  for (const StepTime& time : result.times) seconds += time.seconds;
  const auto taken =
      std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::duration<double>(seconds));
  const std::vector<std::string> no_arguments;
  const std::optional<Injection> injection = measure_injection(input, result.extraction, run.cpu);
  return make_report({.arguments = no_arguments,
                      .config = *input.file.config,
                      .execution = run,
                      .input = input,
                      .result = result,
                      .outputs = {},
                      .start = std::chrono::system_clock::now() - taken,
                      .seconds = seconds,
                      .completeness = measure_completeness(input, result.extraction, run.cpu),
                      .injection = injection ? &*injection : nullptr},
                     metadata);
}

std::vector<std::pair<std::string, double>> times_of(const Catalogue& catalogue) {
  std::vector<std::pair<std::string, double>> times;
  for (const auto& [step, seconds] : catalogue.result.times) times.emplace_back(step, seconds);
  return times;
}

}  // namespace

std::unique_ptr<Catalogue> catalogue_of(const ImageInput& input, ImageResult&& result, const Execution& run) {
  auto catalogue = std::make_unique<Catalogue>();
  catalogue->metadata = metadata_of(input, result.extraction, *input.file.config);
  // The catalogue may be written in every format.
  catalogue->metadata.head = image_head(input, result.extraction, input.file.config->config);
  catalogue->name = input.name;
  catalogue->config = input.config();
  catalogue->shape = input.exposure.shape();
  catalogue->header = input.header();
  if (input.positions != nullptr) catalogue->carried = input.positions->list.carried;
  catalogue->cpu = run.cpu;
  if (const std::optional<FittedIslands>& fitted = result.extraction.fitted) {
    const auto table_of = [&](ComponentTable kind) {
      const std::string& unit = catalogue->metadata.pixel_unit;
      const Config& resolved = input.config();
      return styled(component_table(kind, *fitted, input.header(), unit, resolved, run.cpu), resolved.output.style, 0,
                    resolved);
    };
    catalogue->gaussians = table_of(ComponentTable::gaul);
    catalogue->sources = table_of(ComponentTable::srl);
  }
  if (catalogue->config.output.report) catalogue->report = report_of(input, result, run, catalogue->metadata);
  catalogue->result = std::move(result);
  return catalogue;
}

void bind_catalogue(nb::module_& module) {
  nb::class_<Catalogue>(module, "Catalogue")
      .def_rw("name", &Catalogue::name)
      .def_ro("header", &Catalogue::header)
      .def("__len__", [](const Catalogue& self) { return self.result.extraction.sources.size(); })
      .def_prop_ro("shape", [](const Catalogue& self) { return std::pair(self.shape.height, self.shape.width); })
      .def_prop_ro("backend", [](const Catalogue& self) { return self.result.backend; })
      .def_prop_ro("warnings", [](const Catalogue& self) { return self.result.warnings; })
      .def_prop_ro("times", &times_of)
      .def_prop_ro("config", [](const Catalogue& self) { return self.metadata.config_yaml; })
      .def_prop_ro("sky_level", [](const Catalogue& self) { return self.result.extraction.sky_level(); })
      .def_prop_ro("sky_sigma", [](const Catalogue& self) { return self.result.extraction.background.clipped.sigma; })
      .def_prop_ro("masked", [](const Catalogue& self) { return self.result.extraction.masked.total(); })
      .def("columns", [](nb::object self) { return columns_of(self); })
      .def_prop_ro("carried",
                   [](const Catalogue& self) {
                     std::vector<std::string> names;
                     for (const TableColumn& column : self.carried.columns) names.push_back(column.name);
                     return names;
                   })
      .def("gaussians", [](nb::object self) { return fitted_columns(self, true); })
      .def("sources", [](nb::object self) { return fitted_columns(self, false); })
      .def("psf", &psf_of)
      .def("stars", &stars_of, nb::lock_self())  // locked, since stars() fills the table of stars
      .def("background", [](const Catalogue& self) { return sky_of(self, SkyPart::level); })
      .def("rms", [](const Catalogue& self) { return sky_of(self, SkyPart::rms); })
      .def("segmentation", &segmentation_of)
      .def_ro("report", &Catalogue::report)
      .def("write", &write, nb::arg("path"), nb::arg("format").none() = nb::none(), nb::arg("rows").none() = nb::none(),
           nb::arg("columns").none() = nb::none())
      .def("__getstate__",
           [](Catalogue& self) {
             const std::string state = state_of(self);
             return nb::bytes(state.data(), state.size());
           })
      .def("__setstate__", [](Catalogue& self, const nb::bytes& state) {
        new (&self) Catalogue(catalogue_of_state({static_cast<const char*>(state.data()), state.size()}));
      });
}

}  // namespace srcextract::python

#include "survey/merge/merge.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <system_error>

#include "io/catalog/catalog.hpp"
#include "io/catalog/table_writer.hpp"
#include "io/files/input_file.hpp"
#include "io/tables/stored_table.hpp"
#include "io/tables/table_file.hpp"
#include "io/tables/table_stream.hpp"
#include "stages/catalogue/declared_columns.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"
#include "survey/formats/survey_tables.hpp"
#include "survey/merge/image_places.hpp"
#include "survey/merge/merge_components.hpp"
#include "survey/merge/merge_files.hpp"
#include "survey/merge/merge_images.hpp"
#include "survey/merge/merge_journals.hpp"
#include "survey/merge/merge_layout.hpp"
#include "survey/merge/merge_rows.hpp"
#include "survey/sky/hats_tables.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;

/// Path and recorded size of the image's FITS catalogue. Throws Error{config} if the image has none.
WrittenFile catalog_of(const SurveyImage& image, const std::vector<std::string>& directories) {
  if (auto catalog = output_with_ending(image, extension(CatalogFormat::fits), directories)) return *std::move(catalog);
  throw Error(ErrorKind::config, image_label(image.record) + " of " + directories[image.directory] +
                                     " has no FITS catalogue, and those are what is merged; add fits to output.formats "
                                     "and run `srcextract batch` again");
}

/// Where the rows of an image are in its catalogue.
struct ImageRows {
  std::size_t arrangement = 0;  ///< index in SurveyLayout of the catalogue's arrangement (sequence of columns)
  std::int64_t data_begin = 0;  ///< byte offset of the rows in the file; 0 for a failed image
};

/// The contents of the headers of all catalogues.
struct Catalogs {
  SurveyLayout layout;
  std::vector<ImageRows> of_image;
  PackedHeaders headers;             ///< header keywords of the images
  std::vector<std::string> history;  ///< HISTORY of the first catalogue, with the configuration
};

Catalogs look_at_catalogs(const SurveyImages& images, const std::vector<std::string>& directories) {
  Catalogs catalogs{SurveyLayout({image_column(images)}), {}, {}, {}};
  catalogs.of_image.reserve(images.size());
  StoredTableReader reader;
  for (const SurveyImage& image : images) {
    ImageRows& rows = catalogs.of_image.emplace_back();
    if (!image.record.done) {
      catalogs.headers.add({});
      continue;
    }
    const WrittenFile catalog = catalog_of(image, directories);
    const std::string& path = catalog.path;
    with_output(image, catalog, [&](const InputFile& file) {
      const StoredTable& table = reader.read(file);
      if (table.rows != image.record.sources)
        throw Error(ErrorKind::input, path + ": the catalogue has " + counted(table.rows, "row"));
      rows.arrangement = catalogs.layout.add(table, path);
      rows.data_begin = table.data_begin;
      catalogs.headers.add(table.image.header);
      if (catalogs.history.empty()) catalogs.history = table.history;
    });
  }
  return catalogs;
}

/// Writes the table SOURCES. Returns the mean sky position of the sources of every image if `with_places`; else
/// nothing.
std::vector<SkyPlace> write_sources(StoredTables& out, TableHead head, const SurveyImages& images,
                                    const std::vector<std::string>& directories, const Catalogs& catalogs,
                                    bool with_places) {
  head.columns = catalogs.layout.columns();
  for (const SurveyImage& image : images) head.rows += image.record.done ? image.record.sources : 0;
  out.begin(head);
  const std::vector<RowPlan> plans = catalogs.layout.plans();
  ImagePlaces places(with_places ? images.size() : 0, head.columns);
  const auto add_place = [&](std::span<const std::byte> rows) { places.add(rows); };
  RowWriter writer(out, with_places ? add_place : std::function<void(std::span<const std::byte>)>());
  for (std::size_t i = 0; i < images.size(); ++i) {
    const ImageRows& rows = catalogs.of_image[i];
    const SurveyImage image = images[i];
    if (!image.record.done) continue;
    places.begin(i, image.record.sources);
    with_output(image, catalog_of(image, directories), [&](const InputFile& file) {
      const std::uint32_t crc32 =
          writer.copy(file, image.record.sources, rows.data_begin, plans[rows.arrangement], image_text(image.record));
      if (image.record.catalog_crc32.value_or(crc32) != crc32)
        throw Error(ErrorKind::input,
                    file.path() + ": the catalogue is not the one that was written: its checksum differs");
    });
  }
  writer.flush();
  return places.take();
}

/// The unit of pixel values: the unit of the catalogue's column that declared_columns() lists first among those in
/// pixel units; empty if the catalogue lacks that column.
std::string pixel_unit(const std::vector<StoredColumn>& columns) {
  const auto in_pixel_values = [](const DeclaredColumn& one) {
    return one.column.unit == std::string_view(pixel_value_unit);
  };
  const auto declared = std::ranges::find_if(declared_columns(), in_pixel_values);
  const auto column = std::ranges::find(columns, declared->column.name, &StoredColumn::name);
  return column == columns.end() ? "" : column->unit;
}

/// The unit of pixel values for every arrangement of columns.
std::vector<std::string> pixel_units(const Catalogs& catalogs) {
  std::vector<std::string> units;
  for (std::size_t i = 0; i < catalogs.layout.arrangements(); ++i)
    units.push_back(pixel_unit(catalogs.layout.arrangement(i)));
  return units;
}

/// The HISTORY lines of the merged table: the configuration if all images have the same; else a note about the number
/// of configurations.
std::vector<std::string> history(const SurveyImages& images, const Catalogs& catalogs) {
  std::set<std::string> configs;
  for (const SurveyImage& image : images) configs.insert(image.record.config);
  if (configs.size() < 2) return catalogs.history;
  return {"srcextract: " + std::to_string(configs.size()) + " configurations; IMAGES says which image has which"};
}

void warn_of_versions(const SurveyImages& images, const std::function<void(const std::string&)>& warn) {
  std::set<std::string> versions;
  for (const SurveyImage& image : images) {
    if (image.record.done) versions.insert(image.record.program);
  }
  if (versions.size() < 2) return;
  std::string all;
  for (const std::string& version : versions) all += (all.empty() ? "" : ", ") + version;
  warn("the images were extracted with several versions of srcextract (" + all +
       "), whose results may differ; start the same `srcextract batch` again to have them of one");
}

bool is_by_cells_of_the_sky(const std::string& output) {
  return output.ends_with(".hats") || output.ends_with(".hats/");
}

std::unique_ptr<StoredTables> make_tables(const std::string& output) {
  return is_by_cells_of_the_sky(output) ? make_hats_tables(output) : make_survey_tables(output);
}

/// The output path without its ending.
std::string stem_of_survey(const std::string& output) {
  return is_by_cells_of_the_sky(output) ? output.substr(0, output.rfind(".hats")) : survey_stem(output);
}

/// The joined tables of radio components that are written beside the survey catalogue. There are none if the catalogue
/// is a file of regions.
std::vector<ComponentFile> component_files(const MergeOptions& options, const SurveyImages& images) {
  const bool by_cells = is_by_cells_of_the_sky(options.output);
  if (!by_cells && !format_of_ending(options.output).table) return {};
  return find_component_files(stem_of_survey(options.output),
                              by_cells ? ".parquet" : format_of_ending(options.output).ending, images);
}

std::vector<std::string> files_of(const MergeOptions& options, const std::vector<ComponentFile>& components) {
  const std::string& output = options.output;
  std::vector<std::string> files = is_by_cells_of_the_sky(output) ? std::vector{output} : survey_files(output);
  for (const ComponentFile& file : components) files.push_back(file.path);
  if (options.make_page) files.push_back(survey_page_path(output));
  return files;
}

/// Throws Error{config} if `output` is in one of the survey's directories and is named as a list of failures is, even
/// if no such file exists. srcextract batch writes and removes lists of failures.
void require_no_failures(const fs::path& output, const std::vector<std::string>& directories) {
  const std::string name = output.filename();
  if (!name.starts_with("failures.") || !name.ends_with(".csv")) return;
  const fs::path parent = output.has_parent_path() ? output.parent_path() : ".";
  std::error_code unknown;
  for (const std::string& directory : directories) {
    if (fs::equivalent(parent, directory, unknown))
      throw Error(ErrorKind::config,
                  "the survey catalogue " + output.string() +
                      " has the name of the list of images that failed; choose another name with -o");
  }
}

/// Whether the file at `path` is empty, or a table whose first column is IMAGE, as in merged tables. Also true if the
/// name is not that of a table, and for directories, devices and pipes: a directory may hold tables by cells of the
/// sky.
bool is_merged_table(const std::string& path) {
  const FormatNames* const format = format_of_name(path);
  std::error_code unknown;
  if (!format || !format->table || !fs::is_regular_file(path, unknown) || fs::file_size(path, unknown) == 0)
    return true;
  try {
    return open_table(path).columns.front().name == "IMAGE";
  } catch (const Error&) {
    return false;
  }
}

/// Throws Error{config} if a file exists at `path` that is no merged table. The file may be an image, a weight map, or
/// a list of images or positions that the user wrote.
void require_merged_table(const std::string& path) {
  if (is_merged_table(path)) return;
  throw Error(ErrorKind::config, path +
                                     " is there, and no merged table, which alone would be replaced; choose another "
                                     "name with -o, or remove it");
}

/// Throws Error{config} if a page exists at `path` that is not about a survey; it may be the report of an image.
void require_survey_page(const std::string& path) {
  std::ifstream file(path);
  std::string begin(200, '\0');
  file.read(begin.data(), std::ssize(begin));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  if (begin.empty() || begin.find(survey_page_mark) != std::string::npos) return;
  throw Error(ErrorKind::config, path +
                                     " is there, and no page about a merged survey, which alone would be replaced; "
                                     "choose another name with -o, remove the page, or leave out --report");
}

/// Throws Error{config} if an output would replace an image or output of the survey, or a file that merge did not
/// write. An earlier survey catalogue may be replaced.
void require_kept(const MergeOptions& options, const SurveyImages& images,
                  const std::vector<ComponentFile>& components) {
  std::error_code unknown;
  for (const std::string& output : files_of(options, components)) {
    require_no_failures(output, options.directories);
    if (!fs::exists(output, unknown)) continue;
    require_merged_table(output);
    const auto check = [&](const fs::path& path) {
      if (fs::equivalent(output, path, unknown))
        throw Error(ErrorKind::config, "the survey catalogue " + output + " would replace " + path.string() +
                                           ", which belongs to the survey; choose another name with -o");
    };
    for (const SurveyImage& image : images) {
      check(image.record.path);
      for (const auto& [path, bytes] : image.record.outputs)
        check(fs::path(options.directories[image.directory]) / path);
    }
    if (output.ends_with(".html")) require_survey_page(output);
  }
}

Merged count(const SurveyImages& images) {
  Merged merged;
  for (const SurveyImage& image : images) {
    ++merged.images;
    if (image.record.done) merged.sources += image.record.sources;
    if (!image.record.done) ++merged.failures;
  }
  return merged;
}

/// Throws Error{input} if the fraction of done images that failed since exceeds options.max_failed. Without this check,
/// an unmounted file system would remove images from an existing survey catalogue.
void require_few_lost(const Lost& lost, const MergeOptions& options) {
  if (100.0 * static_cast<double>(lost.images) <= options.max_failed * static_cast<double>(lost.of)) return;
  throw Error(ErrorKind::input, std::to_string(lost.images) + " of " + std::to_string(lost.of) +
                                    " images that were done have failed since (" + lost.first + "); " + options.output +
                                    " is left as it was: see failures.csv, bring back the inputs and "
                                    "start the same `srcextract batch` with --retry-failed, or allow so many percent "
                                    "with --max-failed");
}

/// Adds the page about the survey to the output files, if options.make_page is set.
void write_page(const MergeOptions& options, const SurveyFacts& facts, std::vector<OutputFile>& files) {
  if (options.make_page) files.emplace_back(facts.page).write(options.make_page(facts));
}

}  // namespace

void require_format(const std::string& output) {
  if (!is_by_cells_of_the_sky(output)) format_of_ending(output, " .hats");
}

std::string survey_page_path(const std::string& output) {
  return stem_of_survey(output) + ".report.html";
}

Merged merge_surveys(const MergeOptions& options, const std::function<void(const std::string&)>& tell) {
  std::multiset<std::string> warnings;
  const auto warn = [&](const std::string& warning) {
    if (options.make_page) warnings.insert(warning);
    tell(warning);
  };
  Lost lost;
  const SurveyImages images = join_journals(options.directories, options.partial, lost, warn);
  require_few_lost(lost, options);
  const std::vector<ComponentFile> components = component_files(options, images);
  require_kept(options, images, components);
  warn_of_versions(images, warn);
  const Catalogs catalogs = look_at_catalogs(images, options.directories);
  if (const std::string mixed = catalogs.layout.describe_mixed_units("the images"); !mixed.empty())
    warn(mixed + "; column UNIT of IMAGES says which image has which");

  TableHead head;
  head.creator = "srcextract " + options.version;
  head.history = history(images, catalogs);
  const std::unique_ptr<StoredTables> out = make_tables(options.output);
  head.name = "SOURCES";
  const std::vector<SkyPlace> places =
      write_sources(*out, head, images, options.directories, catalogs, options.make_page != nullptr);
  head.name = "IMAGES";
  const std::vector<std::string> units = pixel_units(catalogs);
  const auto unit_of = [&](std::size_t i) {
    const ImageRows& rows = catalogs.of_image[i];
    return rows.data_begin > 0 ? units[rows.arrangement] : "";
  };
  write_images(*out, head, images, unit_of, catalogs.headers, warn);
  Merged merged = count(images);
  std::vector<OutputFile> beside = write_components(components, images, options, warn, merged.components);
  write_page(options,
             {.output = options.output,
              .page = survey_page_path(options.output),
              .images = images,
              .directories = options.directories,
              .unit_of = unit_of,
              .headers = catalogs.headers,
              .places = places,
              .warnings = {warnings.begin(), warnings.end()}},
             beside);
  out->commit(std::move(beside));
  return merged;
}

}  // namespace srcextract

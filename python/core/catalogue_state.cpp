#include "python/core/catalogue_state.hpp"

#include <memory>
#include <utility>

#include "pipeline/machine/versions.hpp"
#include "pipeline/outputs/psf_files.hpp"
#include "pipeline/outputs/vignets.hpp"
#include "python/core/archive.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract::python {

template <class Archive>
void each_part(Archive& archive, Column& column) {
  archive.text(column.name);
  archive.text(column.unit);
  archive.text(column.ucd);
  archive.text(column.description);
  archive(column.tolerance, column.image);
}

template <class Archive>
void each_part(Archive& archive, CatalogColumn& column) {
  archive(column.column, column.name, column.values, column.part, column.unit);
}

template <class Archive>
void each_part(Archive& archive, Sources& sources) {
  archive(sources.columns, sources.written);
}

template <class Archive>
void each_part(Archive& archive, TableColumn& column) {
  archive(column.name, column.unit, column.ucd, column.description, column.values);
}

template <class Archive>
void each_part(Archive& archive, Table& table) {
  archive(table.columns, table.rows);
}

template <class Archive>
void each_part(Archive& archive, HeaderValue& value) {
  archive(value.keyword, value.value);
}

template <class Archive>
void each_part(Archive& archive, ImageFacts& facts) {
  archive(facts.sky, facts.header);
}

template <class Archive>
void each_part(Archive& archive, BandFacts& band) {
  archive(band.name, band.file, band.settings);
}

template <class Archive>
void each_part(Archive& archive, CatalogMetadata& of) {
  archive(of.version, of.config_yaml, of.pixel_unit, of.sum_unit, of.image, of.detection_image, of.positions, of.bands,
          of.detection_unit, of.parquet_compression, of.head);
}

template <class Archive>
void each_part(Archive& archive, StepTime& time) {
  archive(time.step, time.seconds);
}

template <class Archive>
void each_part(Archive& archive, SkyMesh<Cpu>& mesh) {
  archive(mesh.grid, mesh.level, mesh.rms, mesh.level_bend, mesh.rms_bend, mesh.level_bounded, mesh.rms_bounded);
}

template <class Archive>
void each_part(Archive& archive, Runs<Cpu>& runs) {
  archive(runs.shape, runs.runs, runs.row_begin);
}

template <class Archive>
void each_part(Archive& archive, NumberTable& table) {
  archive(table.name, table.cards, table.columns, table.rows);
}

template <class Archive>
void each_part(Archive& archive, Vignets& vignets) {
  archive(vignets.size, vignets.pixels);
}

namespace {

/// The parts of an extraction that methods of the Python class need later. Of the images for check images, only the
/// given sky level and the variance are kept.
template <class Archive>
void each_part_kept(Archive& archive, Extraction& of) {
  archive(of.sources, of.background, of.levels, of.masked, of.runs, of.label, of.check.mesh, of.check.level,
          of.check.variance, of.given_level);
  bool fitted = of.fitted.has_value();
  archive(fitted);
  if (fitted && !of.fitted) of.fitted.emplace();
}

template <class Archive>
void each_part_kept(Archive& archive, Catalogue& of) {
  each_part_kept(archive, of.result.extraction);
  archive(of.name, of.result.backend, of.result.times, of.result.warnings, of.metadata, of.config.kept.segmentation,
          of.shape, of.header, of.carried, of.stars, of.gaussians, of.sources, of.vignets, of.report);
  std::optional<NumberTable> psf;
  if (of.result.psf) psf = of.result.psf->made.table;
  archive(psf);
  if (!psf || of.result.psf) return;
  auto found = std::make_shared<FoundPsf>();
  found->made.table = std::move(*psf);
  of.result.psf = std::move(found);
}

}  // namespace

std::string state_of(Catalogue& catalogue) {
  if (!catalogue.vignets) catalogue.vignets = cut_vignets(catalogue.result.extraction, catalogue.config, catalogue.cpu);
  if (catalogue.result.psf && catalogue.stars.columns.empty())
    catalogue.stars = star_table(catalogue.result.psf->stars);
  ArchiveWriter archive;
  std::string version = program_version();
  archive(version);
  each_part_kept(archive, catalogue);
  return archive.take();
}

Catalogue catalogue_of_state(std::span<const char> state) {
  ArchiveReader archive(state);
  std::string version;
  archive(version);
  if (version != program_version())
    throw Error(ErrorKind::input, "the catalogue was pickled by srcextract " + version + ", and this is " +
                                      program_version() +
                                      "; give catalogues between versions as files that write() makes");
  Catalogue catalogue;
  catalogue.cpu = {available_threads()};
  each_part_kept(archive, catalogue);
  if (!archive.at_end()) throw Error(ErrorKind::input, "the pickled catalogue is damaged; pickle it again");
  return catalogue;
}

}  // namespace srcextract::python

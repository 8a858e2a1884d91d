#include "pipeline/outputs/components/write_components.hpp"

#include <filesystem>
#include <utility>

#include "io/catalog/component_regions.hpp"
#include "io/catalog/table_writer.hpp"
#include "io/wcs/direction.hpp"
#include "pipeline/outputs/components/component_styles.hpp"
#include "pipeline/outputs/components/component_table.hpp"

namespace srcextract {
namespace {

/// Adds header cards for a table: the cards that PyBDSF writes, the beam, and the area in beams over which pixels share
/// noise.
void describe_map(const ImageInput& input, const FittedIslands& fitted, ImageFacts& facts) {
  const Config& config = input.config();
  const auto add = [&](const char* keyword, KeywordValue value) {
    facts.header.push_back({keyword, std::move(value)});
  };
  if (config.resources.frequency > 0) add("FREQ0", config.resources.frequency);
  add("EQUINOX", 2000.0);
  add("INIMAGE", std::filesystem::path(input.file.path).filename().string());
  add("BMAJ", config.beam.fwhm[0] / arcseconds);
  add("BMIN", config.beam.fwhm[1] / arcseconds);
  add("BPA", config.beam.angle);
  add("NOISAREA", fitted.noise_area);
}

}  // namespace

std::vector<OutputFile> write_components(const OutputPaths& paths, const ImageInput& input,
                                         const Extraction& extraction, CatalogMetadata metadata, std::uint32_t datasum,
                                         const Cpu& where) {
  std::vector<OutputFile> files;
  if (!extraction.fitted || (paths.components.empty() && paths.regions.empty())) return files;
  const Config& config = input.config();
  describe_map(input, *extraction.fitted, metadata.image);
  const auto table_of = [&](ComponentTable kind) {
    return component_table(kind, *extraction.fitted, input.header(), metadata.pixel_unit, config, where);
  };
  for (const ComponentTable kind : config.output.catalogues) {
    const Table table = styled(table_of(kind), config.output.style, datasum, config);
    for (const auto& [of, path] : paths.components)
      if (of == kind) files.push_back(write_table(path, table, metadata, where));
  }
  if (paths.regions.empty()) return files;
  const Table gaussians = table_of(ComponentTable::gaul);
  for (const auto& [format, path] : paths.regions)
    files.push_back(write_component_regions(path, format, gaussians, config.resources.frequency));
  return files;
}

}  // namespace srcextract

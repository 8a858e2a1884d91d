#include "pipeline/sextractor/named_outputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>

#include "config/values.hpp"
#include "io/files/output_file.hpp"
#include "stages/settings/output_keys.hpp"

namespace srcextract {
namespace {

using config::fail;
using sextractor::Request;
using sextractor::Setting;

/// srcextract's check image for a CHECKIMAGE_TYPE that translate() accepted; empty for the label map and IDENTICAL.
std::optional<CheckImage> check_image_of(const std::string& type) {
  const std::vector<std::string> names = names_of(CheckImage());
  const auto found = std::ranges::find(names, sextractor::our_check_image(type));
  return found == names.end() ? std::nullopt : std::optional(static_cast<CheckImage>(found - names.begin()));
}

/// The path of an output, with links among the directories resolved. A link that is the output itself is not resolved,
/// since the output replaces the link and not the link's target.
std::filesystem::path written_path(const std::string& file) {
  std::error_code ignored;
  const std::filesystem::path name = std::filesystem::absolute(file, ignored);
  const std::filesystem::path directory = std::filesystem::canonical(name.parent_path(), ignored);
  return ignored ? name.lexically_normal() : directory / name.filename();
}

std::vector<NamedCheckImage> named_check_images(const Request& request) {
  const Setting &types = request["CHECKIMAGE_TYPE"], &names = request["CHECKIMAGE_NAME"];
  std::vector<NamedCheckImage> images;
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < types.values.size(); ++i) {
    const std::string type = types.word(i);
    if (type == "NONE") continue;
    if (i >= names.values.size() || types.values.size() != names.values.size())
      fail(request.place_of(names.is_set() ? names : types),
           types.text() + " and " + names.text() + " are not as many: every check image needs a name of its own");
    if (std::ranges::count(seen, type) > 0)
      fail(request.place_of(types), types.text() + ": " + type + " is there twice, of which SExtractor writes none");
    seen.push_back(type);
    images.push_back({type, check_image_of(type), names.word(i)});
  }
  return images;
}

}  // namespace

std::vector<std::string> NamedOutputs::files() const {
  std::vector<std::string> files;
  if (!catalogue.empty()) files.push_back(catalogue);
  if (!xml.empty()) files.push_back(xml);
  for (const NamedCheckImage& image : check_images) files.push_back(image.path);
  return files;
}

NamedOutputs named_outputs(const Request& request) {
  const Setting& name = request["CATALOG_NAME"];
  NamedOutputs outputs{.type = request["CATALOG_TYPE"].word(), .catalogue = name.word(), .check_images = {}};
  // SExtractor writes FITS tables to a file, even to a file that is called STDOUT.
  const bool is_text = outputs.type.starts_with("ASCII");
  outputs.to_standard_output = is_text && outputs.catalogue == "STDOUT";
  if (outputs.to_standard_output || outputs.type == "NONE") outputs.catalogue.clear();
  if (outputs.catalogue == "/dev/stdout")
    fail(request.place_of(name), name.text() + ": write CATALOG_NAME STDOUT, with a CATALOG_TYPE of ASCII");
  if (request["WRITE_XML"].yes()) outputs.xml = request["XML_NAME"].word();
  outputs.check_images = named_check_images(request);
  std::map<std::filesystem::path, std::string> files;
  for (const std::string& file : outputs.files())
    if (const auto [same, is_new] = files.emplace(written_path(file), file); !is_new)
      fail(request.place_of(request["CHECKIMAGE_NAME"]),
           "two outputs would be one file, " + same->second + (same->second == file ? "" : " and " + file) +
               "; give CATALOG_NAME, XML_NAME and each of CHECKIMAGE_NAME another name");
  return outputs;
}

void require_writable(const NamedOutputs& outputs) {
  for (const std::string& file : outputs.files()) {
    const std::filesystem::path directory = std::filesystem::path(file).parent_path();
    require_replaceable(file);
    if (access(directory.empty() ? "." : directory.c_str(), W_OK | X_OK) != 0) throw write_error(file, errno);
  }
}

}  // namespace srcextract

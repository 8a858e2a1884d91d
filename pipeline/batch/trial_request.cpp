#include "pipeline/batch/trial_request.hpp"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "stages/core/error.hpp"
#include "survey/inputs/image_config.hpp"

namespace srcextract {
namespace {

using Json = nlohmann::json;

/// Writes what config_from() needs to restore a configuration.
Json config_json(const ImageConfig& config) {
  return {{"yaml", config.yaml}, {"set_at", config.config.set_at}};
}

std::shared_ptr<const ImageConfig> config_from(const Json& json) {
  Config config = parse_config(json.at("yaml"), "the configuration");
  config.set_at = json.at("set_at").get<std::map<std::string, std::string>>();
  return make_image_config(config);
}

/// JSON for the files that accompany an image (positions, detection image, reference, bands). `number` returns the
/// index of a configuration in the request.
template <class Number>
Json beside_json(const ImageFile& file, Number&& number) {
  if (!file.beside) return nullptr;
  Json json = {{"positions", file.beside->positions},
               {"reference", file.beside->reference},
               {"no_reference", file.beside->no_reference},
               {"hash", file.beside->hash}};
  if (const DetectionTask* const detection = file.detection())
    json["detection"] = {{"path", detection->path}, {"config", number(detection->given)}};
  if (file.beside->of_reference) json["of_reference"] = number(file.beside->of_reference);
  for (const BandFile& band : file.beside->bands)
    json["bands"].push_back(
        {{"name", band.name}, {"path", band.path}, {"settings", band.settings}, {"config", number(band.given)}});
  return json;
}

Json files_json(const std::vector<PlannedFile>& files, Json& configs) {
  std::map<const ImageConfig*, std::size_t> known;
  const auto number = [&](const std::shared_ptr<const ImageConfig>& config) {
    const auto [place, added] = known.try_emplace(config.get(), known.size());
    if (added) configs.push_back(config_json(*config));
    return place->second;
  };
  Json all = Json::array();
  for (const PlannedFile& planned : files) {
    const ImageFile& file = planned.file;
    all.push_back({{"path", file.path},
                   {"name", file.name},
                   {"bytes", file.bytes},
                   {"modified", file.modified},
                   {"config", number(file.config)},
                   {"beside", beside_json(file, number)},
                   {"leave", planned.done_hdus},
                   {"failed", planned.failed_hdus}});
  }
  return all;
}

std::shared_ptr<const FilesBeside> beside_from(const Json& json,
                                               const std::vector<std::shared_ptr<const ImageConfig>>& configs) {
  if (json.is_null()) return nullptr;
  FilesBeside beside{.positions = json.at("positions"),
                     .reference = json.at("reference"),
                     .no_reference = json.at("no_reference"),
                     .hash = json.at("hash")};
  if (json.contains("detection")) {
    const Json& detection = json.at("detection");
    beside.detection = {detection.at("path"), configs.at(detection.at("config").get<std::size_t>())};
  }
  if (json.contains("of_reference")) beside.of_reference = configs.at(json.at("of_reference").get<std::size_t>());
  for (const Json& band : json.value("bands", Json::array()))
    beside.bands.push_back({band.at("name"), band.at("path"), band.at("settings").get<std::vector<std::string>>(),
                            configs.at(band.at("config").get<std::size_t>())});
  return std::make_shared<const FilesBeside>(std::move(beside));
}

std::vector<PlannedFile> files_from(const Json& all, const Json& configs) {
  std::vector<std::shared_ptr<const ImageConfig>> known;
  for (const Json& config : configs) known.push_back(config_from(config));
  std::vector<PlannedFile> files;
  for (const Json& json : all) {
    ImageFile file{json.at("path"),
                   json.at("name"),
                   json.at("bytes"),
                   json.at("modified"),
                   known.at(json.at("config").get<std::size_t>()),
                   beside_from(json.at("beside"), known)};
    files.push_back(
        {std::move(file), json.at("leave").get<std::vector<int>>(), json.at("failed").get<std::vector<int>>()});
  }
  return files;
}

}  // namespace

std::vector<std::uint8_t> format_request(const TrialRequest& request) {
  Json configs = Json::array();
  Json files = files_json(request.files, configs);
  return Json::to_cbor({{"directory", request.directory},
                        {"arguments", request.arguments},
                        {"compare", request.compare},
                        {"devices", request.devices},
                        {"threads", request.threads},
                        {"memory", request.memory.value_or(0)},
                        {"verbosity", static_cast<int>(request.verbosity)},
                        {"log_file", request.log_file},
                        {"temporaries", request.temporaries},
                        {"kept", request.kept},
                        {"configs", std::move(configs)},
                        {"files", std::move(files)}});
}

TrialRequest parse_request(const std::vector<std::uint8_t>& bytes) {
  try {
    const Json json = Json::from_cbor(bytes);
    TrialRequest request;
    request.directory = json.at("directory");
    request.arguments = json.at("arguments").get<std::vector<std::string>>();
    request.compare = json.at("compare");
    request.devices = json.at("devices").get<std::vector<int>>();
    request.threads = json.at("threads");
    const auto memory = json.at("memory").get<std::int64_t>();
    if (memory > 0) request.memory = memory;
    request.verbosity = static_cast<Verbosity>(json.at("verbosity").get<int>());
    request.log_file = json.at("log_file");
    request.temporaries = json.at("temporaries");
    request.kept = json.at("kept").get<std::vector<std::string>>();
    request.files = files_from(json.at("files"), json.at("configs"));
    return request;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::internal, std::string("what was to be extracted by itself cannot be read: ") + error.what());
  }
}

}  // namespace srcextract

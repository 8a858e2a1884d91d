#include "pipeline/machine/versions.hpp"

#include <oneapi/tbb/version.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/version.h>

#include <CLI/Version.hpp>
#include <nlohmann/json.hpp>

#include "cuda/device/cuda_devices.hpp"
#include "io/fits/versions.hpp"
#include "pipeline/machine/version.hpp"

namespace srcextract {

std::string program_version() {
  return build::version;
}

std::string program_build() {
  return fmt::format("{}, {}, commit {}", build::type, build::compiler, build::commit);
}

std::vector<std::pair<std::string, std::string>> library_versions() {
  return {
      {"CUDA", cuda_version()},
      {"CFITSIO", cfitsio_version()},
      {"wcslib", wcslib_version_text()},
      {"zstd", zstd_version()},
      {"TBB", TBB_runtime_version()},
      {"yaml-cpp", build::yaml_cpp_version},
      {"libavro", build::avro_version},
      {"spdlog", fmt::format("{}.{}.{}", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH)},
      {"CLI11", CLI11_VERSION},
      {"nlohmann_json",
       fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
  };
}

std::string version_text() {
  std::string text = fmt::format("srcextract {}\n{:<14} {}\n", program_version(), "build", program_build());
  for (const auto& [name, version] : library_versions()) text += fmt::format("{:<14} {}\n", name, version);
  return text;
}

}  // namespace srcextract

#include "pipeline/options/memory_option.hpp"

#include <CLI/CLI.hpp>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Converts a size like 8G to bytes.
CLI::Validator memory_size() {
  const CLI::AsSizeValue size(false);
  const auto to_bytes = [size](std::string& text) -> std::string {
    const std::string given = text;
    try {
      return size(text);
    } catch (const CLI::ValidationError&) {
      return given + " is no size; write bytes, or as in 500M or 8G";
    }
  };
  return {to_bytes, ""};
}

}  // namespace

void add_memory_option(CLI::App& app, std::optional<std::int64_t>& memory, const std::string& help) {
  app.add_option("--memory", memory, help)->type_name("SIZE")->transform(memory_size())->group("Where it runs");
}

void require_some_memory(const std::optional<std::int64_t>& memory, const std::string& help) {
  if (memory && *memory <= 0)
    throw Error(ErrorKind::config, "--memory must be more than nothing, as in 8G; see " + help);
}

}  // namespace srcextract

#include "survey/image_config.hpp"

#include <cstdint>

namespace srcextract {
namespace {

/// FNV-1a of 64 bits (Fowler, Noll and Vo; RFC 9923), in hexadecimal: it tells configurations apart, not adversaries.
std::string fnv1a(const std::string& text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  constexpr const char* digits = "0123456789abcdef";
  std::string hexadecimal;
  for (int shift = 60; shift >= 0; shift -= 4) hexadecimal += digits[hash >> shift & 15];
  return hexadecimal;
}

}  // namespace

std::shared_ptr<const ImageConfig> make_image_config(const Config& config) {
  const std::string yaml = dump_config(config);
  return std::make_shared<const ImageConfig>(ImageConfig{config, yaml, fnv1a(yaml)});
}

ConfigVariants::ConfigVariants(const Config& config) : config_(make_image_config(config)) {
  by_yaml_.emplace(config_->yaml, config_);
}

std::shared_ptr<const ImageConfig> ConfigVariants::with(const std::vector<std::string>& settings) {
  if (settings.empty()) return config_;
  const auto known = by_settings_.find(settings);
  if (known != by_settings_.end()) return known->second;
  const auto variant = make_image_config(override_config(config_->config, "the configuration", settings));
  return by_settings_[settings] = by_yaml_.emplace(variant->yaml, variant).first->second;
}

}  // namespace srcextract

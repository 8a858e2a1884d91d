#include <cstdint>
#include <string>

#include "survey/inputs.hpp"

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

}  // namespace srcextract

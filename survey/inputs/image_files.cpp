#include "survey/inputs/image_files.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace srcextract {
namespace {

// The bytes of each packed file begin with its status: bytes, modified, identity. All of these have fixed sizes, so the
// status can be changed in place.
constexpr std::size_t identity_at = 2 * sizeof(std::int64_t);
constexpr std::size_t status_bytes = identity_at + sizeof(FileIdentity::inode) + sizeof(FileIdentity::device);

void store(const FileStatus& status, PackedBytes::Writer& out) {
  out.put(status.bytes);
  out.put(status.modified);
  out.put(status.identity.inode);
  out.put(status.identity.device);
}

FileIdentity read_identity(PackedBytes::Reader& in) {
  const auto inode = in.get<std::uint64_t>();
  return {inode, in.get<std::uint32_t>()};
}

/// Returns the index of `pointer` in `kept`; appends `pointer` first unless the last element equals it. Earlier
/// elements are not searched: equal pointers usually come one after the other.
template <class Pointer>
std::uint64_t number_of(std::vector<Pointer>& kept, const Pointer& pointer) {
  if (kept.empty() || kept.back() != pointer) kept.push_back(pointer);
  return kept.size() - 1;
}

/// Length of the longest common suffix.
std::size_t common_end(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
}

}  // namespace

ImageFiles::ImageFiles(std::initializer_list<ImageFile> files) {
  for (const ImageFile& file : files) push_back(file);
}

void ImageFiles::push_back(const ImageFile& file) {
  if (packed_.use_count() != 1) separate();
  PackedBytes::Writer out(*packed_);
  store({.bytes = file.bytes, .modified = file.modified, .identity = file.identity}, out);
  out.text(file.name);
  const std::size_t common = common_end(file.path, file.name);
  const std::string_view own = std::string_view(file.path).substr(0, file.path.size() - common);
  const std::size_t after_directory = own.rfind('/') + 1;  // npos + 1 is 0 if there is no slash
  out.shared(own.substr(0, after_directory));
  out.text(own.substr(after_directory));
  out.number(file.name.size() - common);
  out.number(number_of(configs_, file.config));
  out.number(number_of(besides_, file.beside));
  places_.push_back(packed_->add(out));
}

/// Copies the packed bytes, which another list shares, so that this list can be changed.
void ImageFiles::separate() {
  ImageFiles copy;
  copy.packed_ = std::make_shared<PackedBytes>();
  copy.places_.reserve(size());
  for (const ImageFile& file : *this) copy.push_back(file);
  *this = std::move(copy);
}

ImageFile ImageFiles::operator[](std::size_t i) const {
  PackedBytes::Reader in(*packed_, places_[i]);
  ImageFile file{.path = {}, .name = {}, .config = {}};
  file.bytes = in.get<std::int64_t>();
  file.modified = in.get<std::int64_t>();
  file.identity = read_identity(in);
  file.name = in.text();
  file.path = in.shared();
  file.path += in.text();
  file.path += std::string_view(file.name).substr(in.number());
  file.config = configs_[in.number()];
  file.beside = besides_[in.number()];
  return file;
}

std::string_view ImageFiles::name(std::size_t i) const {
  return PackedBytes::Reader(*packed_, packed_->at(places_[i]) + status_bytes).text();
}

std::int64_t ImageFiles::bytes(std::size_t i) const {
  return PackedBytes::Reader(*packed_, places_[i]).get<std::int64_t>();
}

FileIdentity ImageFiles::identity(std::size_t i) const {
  PackedBytes::Reader in(*packed_, packed_->at(places_[i]) + identity_at);
  return read_identity(in);
}

void ImageFiles::set_status(std::size_t i, const FileStatus& status) {
  PackedBytes::Writer out(*packed_);
  store(status, out);
  std::memcpy(packed_->at(places_[i]), out.written().data(), status_bytes);
}

void ImageFiles::select(const std::vector<std::size_t>& which) {
  std::vector<PackedBytes::Place> places(which.size());
  std::ranges::transform(which, places.begin(), [&](std::size_t i) { return places_[i]; });
  places_ = std::move(places);
}

}  // namespace srcextract

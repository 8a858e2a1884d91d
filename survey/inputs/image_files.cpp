#include "survey/inputs/image_files.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace srcextract {
namespace {

/// The beginning of every packed file.
struct Status {
  std::int64_t bytes, modified;
};

/// Index of `pointer` in `kept`; appends it unless it equals the last element.
template <class Pointer>
std::uint64_t number_of(std::vector<Pointer>& kept, const Pointer& pointer) {
  if (kept.empty() || kept.back() != pointer) kept.push_back(pointer);
  return kept.size() - 1;
}

/// Length of the common ending.
std::size_t common_end(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
}

}  // namespace

ImageFiles::ImageFiles(std::initializer_list<ImageFile> files) {
  for (const ImageFile& file : files) push_back(file);
}

ImageFiles::ImageFiles(const ImageFiles& other) {
  places_.reserve(other.size());
  for (const ImageFile& file : other) push_back(file);
}

void ImageFiles::push_back(const ImageFile& file) {
  PackedBytes::Writer out(packed_);
  out.put(Status{file.bytes, file.modified});
  out.text(file.name);
  const std::size_t common = common_end(file.path, file.name);
  const std::string_view own = std::string_view(file.path).substr(0, file.path.size() - common);
  const std::size_t after_directory = own.rfind('/') + 1;  // 0 without a slash
  out.shared(own.substr(0, after_directory));
  out.text(own.substr(after_directory));
  out.number(file.name.size() - common);
  out.number(number_of(configs_, file.config));
  out.number(number_of(besides_, file.beside));
  places_.push_back(packed_.add(out));
}

ImageFile ImageFiles::operator[](std::size_t i) const {
  PackedBytes::Reader in(packed_, places_[i]);
  const auto status = in.get<Status>();
  ImageFile file{
      .path = {}, .name = std::string(in.text()), .bytes = status.bytes, .modified = status.modified, .config = {}};
  file.path = in.shared();
  file.path += in.text();
  file.path += std::string_view(file.name).substr(in.number());
  file.config = configs_[in.number()];
  file.beside = besides_[in.number()];
  return file;
}

std::string_view ImageFiles::name(std::size_t i) const {
  return PackedBytes::Reader(packed_, packed_.at(places_[i]) + sizeof(Status)).text();
}

std::int64_t ImageFiles::bytes(std::size_t i) const {
  return PackedBytes::Reader(packed_, places_[i]).get<Status>().bytes;
}

void ImageFiles::set_status(std::size_t i, const FileStatus& status) {
  const Status known{status.bytes, status.modified};
  std::memcpy(packed_.at(places_[i]), &known, sizeof(known));
}

void ImageFiles::select(const std::vector<std::size_t>& which) {
  std::vector<PackedBytes::Place> places(which.size());
  std::ranges::transform(which, places.begin(), [&](std::size_t i) { return places_[i]; });
  places_ = std::move(places);
}

}  // namespace srcextract

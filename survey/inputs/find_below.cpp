#include "survey/inputs/find_below.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "io/files/passing.hpp"
#include "survey/inputs/file_status.hpp"
#include "survey/inputs/find_files.hpp"
#include "survey/inputs/wait_together.hpp"

namespace srcextract {
namespace {

constexpr std::size_t directories_ahead = 32;
/// Number of directory entries that are read at a time, so that a directory of a million files takes little memory.
constexpr std::size_t entries_at_a_time = 4096;

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

/// An entry of a directory that may be an image file or a directory.
struct Entry {
  std::string name;
  bool is_link = false;  ///< a symbolic link; may be false for a link until look_at_entry() was called
  bool is_known = true;  ///< whether the status need not be read any more
  bool is_there = true;
  FileStatus status = {};
};

/// Reads the status of an entry, and whether it is a link, since not every file system reports links when it lists
/// entries.
void look_at_entry(int directory, Entry& entry) {
  struct stat status {};
  const auto look = [&](int flags) {
    return try_again(entry.name, [&] { return fstatat(directory, entry.name.c_str(), &status, flags); }) == 0;
  };
  entry.is_there = look(entry.is_link ? 0 : AT_SYMLINK_NOFOLLOW);
  if (entry.is_there && S_ISLNK(status.st_mode)) {
    entry.is_link = true;
    entry.is_there = look(0);
  }
  if (entry.is_there) entry.status = status_of(status);
}

/// Reads the entries of a directory, entries_at_a_time at a time.
class Listing {
 public:
  /// Reads the next entries; the first call opens the directory. If the first call fails with an error that may pass,
  /// the directory is opened and read again. Later calls cannot start again, as entries were already used.
  void list(const std::string& path) {
    const bool is_first = !is_begun_;
    is_begun_ = true;
    const auto list_once = [&] {
      reason_ = 0;
      if (is_first && !open(path)) return -1;
      return read_entries() || !is_first ? 0 : -1;
    };
    if (try_again(path, list_once) < 0) reason_ = errno;
    is_at_end_ = is_at_end_ || reason_ != 0;
  }

  void look(std::size_t i) {
    if (!entries_[i].is_known) look_at_entry(dirfd(directory_.get()), entries_[i]);
  }

  /// Closes the directory if all entries were read, so that only directories that are still being read use up open
  /// files.
  void close_at_end() {
    if (is_at_end_) directory_.reset();
  }

  const std::vector<Entry>& entries() const { return entries_; }
  bool is_at_end() const { return is_at_end_; }
  /// errno of the failed opening or reading; 0: none failed.
  int reason() const { return reason_; }
  /// Whether opening failed because the process or the system has too many open files.
  bool lacks_files() const { return !is_identified_ && (reason_ == EMFILE || reason_ == ENFILE); }
  /// Device and inode of the directory; null if the directory could not be opened.
  const std::pair<dev_t, ino_t>* identity() const { return is_identified_ ? &identity_ : nullptr; }

 private:
  bool open(const std::string& path) {
    directory_.reset(opendir(path.c_str()));
    if (!directory_) return false;
    struct stat status {};
    is_identified_ = fstat(dirfd(directory_.get()), &status) == 0;
    identity_ = {status.st_dev, status.st_ino};
    return true;
  }

  /// Reads the next entries. Returns false, with errno and `reason_` set, if reading fails.
  bool read_entries() {
    entries_.clear();
    while (entries_.size() < entries_at_a_time) {
      errno = 0;
      const dirent* entry = readdir(directory_.get());
      if (entry) {
        add(*entry);
        continue;
      }
      reason_ = errno;
      is_at_end_ = reason_ == 0;
      return reason_ == 0;
    }
    return true;
  }

  void add(const dirent& there) {
    Entry entry{.name = there.d_name};
    if (entry.name.starts_with('.')) return;
    if (there.d_type == DT_REG && !is_image_name(entry.name)) return;
    entry.is_link = there.d_type == DT_LNK;
    entry.is_known = there.d_type == DT_DIR;
    entry.status.is_directory = entry.is_known;
    entries_.push_back(std::move(entry));
  }

  std::unique_ptr<DIR, CloseDirectory> directory_;
  std::vector<Entry> entries_;
  bool is_begun_ = false, is_at_end_ = false, is_identified_ = false;
  int reason_ = 0;
  std::pair<dev_t, ino_t> identity_ = {};
};

/// Walks a directory tree. For speed, the next directories are listed ahead and the status of their entries is read, in
/// parallel. The reported entries and their order do not depend on that.
class Walk {
 public:
  using OnFile = std::function<void(ImageFile)>;
  using OnUnreadable = std::function<void(const std::string&, const std::string&, const std::string&)>;

  Walk(const OnFile& on_file, const OnUnreadable& on_unreadable) : on_file_(on_file), on_unreadable_(on_unreadable) {}

  /// Walks the tree below `root`. Directories that are symbolic links are read after all others. A directory that is
  /// reached in several ways is then always reported under the same name.
  void read_all(const std::string& root);

 private:
  using Directories = std::map<std::string, std::string>;  ///< maps names to paths

  void read(const std::string& path, const std::string& name);
  void look_ahead(const Directories& directories);
  void look_at_first(const Directories& directories);
  void tell(const Listing& listing, const std::string& path, const std::string& name);

  const OnFile& on_file_;
  const OnUnreadable& on_unreadable_;
  Directories directories_, linked_;          ///< directories that are still to be read; linked_: those that are links
  std::map<std::string, Listing> looked_at_;  ///< directories that were listed ahead, by path
  std::set<std::pair<dev_t, ino_t>> seen_;
};

void Walk::read_all(const std::string& root) {
  directories_.emplace("", root);
  while (!directories_.empty() || !linked_.empty()) {
    Directories& next = directories_.empty() ? linked_ : directories_;
    if (!looked_at_.contains(next.begin()->second)) look_ahead(next);
    const auto [name, path] = *next.begin();
    next.erase(next.begin());
    read(path, name);
  }
}

void Walk::look_ahead(const Directories& directories) {
  std::vector<std::pair<const std::string*, Listing*>> ahead;
  for (const auto& [name, path] : directories) {
    if (ahead.size() == directories_ahead) break;
    const auto [place, is_new] = looked_at_.try_emplace(path);
    if (is_new) ahead.emplace_back(&place->first, &place->second);
  }
  wait_together(ahead.size(), [&](std::size_t i) { ahead[i].second->list(*ahead[i].first); });
  std::vector<std::pair<Listing*, std::size_t>> entries;
  for (const auto& [path, listing] : ahead) {
    for (std::size_t i = 0; i < listing->entries().size(); ++i) entries.emplace_back(listing, i);
  }
  wait_together(entries.size(), [&](std::size_t i) { entries[i].first->look(entries[i].second); });
  for (const auto& [path, listing] : ahead) listing->close_at_end();
  const auto lacks_files = [](const auto& one) { return one.second->lacks_files(); };
  if (std::ranges::any_of(ahead, lacks_files)) look_at_first(directories);
}

/// Discards what was listed ahead and lists only the first directory, if the process may not open enough files. The
/// other directories are listed later.
void Walk::look_at_first(const Directories& directories) {
  looked_at_.clear();
  const std::string& path = directories.begin()->second;
  Listing& listing = looked_at_[path];
  listing.list(path);
  for (std::size_t i = 0; i < listing.entries().size(); ++i) listing.look(i);
  listing.close_at_end();
}

void Walk::read(const std::string& path, const std::string& name) {
  const auto node = looked_at_.extract(path);
  Listing& listing = node.mapped();
  if (listing.identity() != nullptr && !seen_.insert(*listing.identity()).second) return;
  for (;;) {
    tell(listing, path, name);
    if (listing.is_at_end()) break;
    listing.list(path);
    wait_together(listing.entries().size(), [&](std::size_t i) { listing.look(i); });
  }
  if (listing.reason() != 0) on_unreadable_(path, name, std::generic_category().message(listing.reason()));
}

void Walk::tell(const Listing& listing, const std::string& path, const std::string& name) {
  const std::string path_before = path.ends_with('/') ? path : path + "/";
  const std::string name_before = name.empty() ? "" : name + "/";
  for (const Entry& entry : listing.entries()) {
    std::string entry_path = path_before + entry.name, entry_name = name_before + entry.name;
    if (entry.is_there && entry.status.is_directory) {
      (entry.is_link ? linked_ : directories_).emplace(std::move(entry_name), std::move(entry_path));
    } else if (is_image_name(entry.name) && (!entry.is_there || entry.status.is_file)) {
      on_file_(image_file(std::move(entry_path), std::move(entry_name), entry.status));
    }
  }
}

}  // namespace

void find_below(const std::string& directory, const std::function<void(ImageFile)>& on_file,
                const std::function<void(const std::string& path, const std::string& name, const std::string& reason)>&
                    on_unreadable) {
  Walk(on_file, on_unreadable).read_all(directory);
}

}  // namespace srcextract

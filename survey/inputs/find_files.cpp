#include "survey/inputs/find_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <system_error>
#include <utility>

#include "stages/core/error.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {
namespace {

std::string message_of(int reason) {
  return std::generic_category().message(reason);
}

ImageFile image_file(std::string path, std::string name, const struct stat& status) {
  ImageFile file{.path = std::move(path), .name = std::move(name), .config = {}};
  if (!S_ISREG(status.st_mode)) return file;
  file.bytes = status.st_size;
  file.modified = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return file;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

class Walk {
 public:
  using OnFile = std::function<void(ImageFile)>;
  using OnUnreadable = std::function<void(const std::string&, const std::string&, const std::string&)>;

  Walk(const OnFile& on_file, const OnUnreadable& on_unreadable) : on_file_(on_file), on_unreadable_(on_unreadable) {}

  /// Those that links lead to come when all others are known, so that the order in which the system lists them has no
  /// say in what things are called.
  void read_all(const std::string& root) {
    directories_.emplace("", root);
    while (!directories_.empty() || !linked_.empty()) {
      auto& next = directories_.empty() ? linked_ : directories_;
      const auto [name, path] = *next.begin();
      next.erase(next.begin());
      read(path, name);
    }
  }

 private:
  void read(const std::string& path, const std::string& name) {
    const std::unique_ptr<DIR, CloseDirectory> directory(opendir(path.c_str()));
    if (!directory) return on_unreadable_(path, name, message_of(errno));
    struct stat status {};
    if (fstat(dirfd(directory.get()), &status) == 0 && !seen_.emplace(status.st_dev, status.st_ino).second) return;
    const std::string path_before = path.ends_with('/') ? path : path + "/";
    const std::string name_before = name.empty() ? "" : name + "/";
    for (;;) {
      errno = 0;
      const dirent* entry = readdir(directory.get());
      if (entry) {
        add(dirfd(directory.get()), *entry, path_before, name_before);
      } else {
        if (errno != 0) on_unreadable_(path, name, message_of(errno));
        return;
      }
    }
  }

  void add(int directory, const dirent& entry, const std::string& path_before, const std::string& name_before) {
    const std::string file_name = entry.d_name;
    if (file_name.starts_with('.')) return;
    const bool is_image = is_image_name(file_name);
    if (!is_image && entry.d_type == DT_REG) return;
    std::string path = path_before + file_name;
    std::string name = name_before + file_name;
    if (entry.d_type == DT_DIR) {
      directories_.emplace(std::move(name), std::move(path));
      return;
    }
    // Not every file system says what is a link.
    bool is_link = entry.d_type == DT_LNK;
    struct stat status {};
    bool is_there = fstatat(directory, entry.d_name, &status, is_link ? 0 : AT_SYMLINK_NOFOLLOW) == 0;
    if (is_there && S_ISLNK(status.st_mode)) {
      is_link = true;
      is_there = fstatat(directory, entry.d_name, &status, 0) == 0;
    }
    if (is_there && S_ISDIR(status.st_mode)) {
      (is_link ? linked_ : directories_).emplace(std::move(name), std::move(path));
    } else if (is_image && (!is_there || S_ISREG(status.st_mode))) {
      on_file_(image_file(std::move(path), std::move(name), is_there ? status : (struct stat){}));
    }
  }

  const OnFile& on_file_;
  const OnUnreadable& on_unreadable_;
  std::map<std::string, std::string> directories_, linked_;  ///< to be read: name and path
  std::set<std::pair<dev_t, ino_t>> seen_;
};

/// glob() tells its callback nothing of who asked.
thread_local std::string unreadable;

/// Where there is no directory nothing matches.
int note_unreadable(const char* path, int reason) {
  if (reason == ENOENT) return 0;
  unreadable = std::string(path) + ": cannot read the directory: " + message_of(reason);
  return 1;
}

}  // namespace

bool is_image_name(const std::string& file_name) {
  return !file_name.starts_with('.') && image_stem(file_name) != file_name && !is_output_name(file_name);
}

ImageFile look_at(const std::string& path, const std::string& name) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) status = {};
  return image_file(path, name, status);
}

void find_below(const std::string& directory, const std::function<void(ImageFile)>& on_file,
                const std::function<void(const std::string& path, const std::string& name, const std::string& reason)>&
                    on_unreadable) {
  Walk(on_file, on_unreadable).read_all(directory);
}

bool is_pattern(const std::string& text) {
  return text.find_first_of("*?[") != std::string::npos;
}

std::vector<std::string> find_matches(const std::string& pattern) {
  struct Found : glob_t {
    Found() : glob_t{} {}
    ~Found() { globfree(this); }
    Found(const Found&) = delete;
    Found& operator=(const Found&) = delete;
  } found;
  switch (glob(pattern.c_str(), GLOB_NOSORT, note_unreadable, &found)) {
    case GLOB_ABORTED:
      throw Error(ErrorKind::input, unreadable + "; the pattern '" + pattern +
                                        "' looks there: ask for permission, or for what can be read");
    case GLOB_NOSPACE:
      throw std::bad_alloc();
    default:
      return {found.gl_pathv, found.gl_pathv + found.gl_pathc};
  }
}

}  // namespace srcextract

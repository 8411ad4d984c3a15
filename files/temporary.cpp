// Creates, locks, renames and removes temporary files.
#include "temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/text.h"
#include "error.h"

namespace strew::files {
using internal::cat;
namespace {

constexpr std::string_view prefix = ".strew-", suffix = ".tmp";
constexpr std::size_t digits = 16, name_size = prefix.size() + digits + suffix.size();

bool is_temporary(std::string_view name) {
  return name.size() == name_size && name.starts_with(prefix) && name.ends_with(suffix) &&
         name.substr(prefix.size(), digits).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string random_name() {
  std::uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != sizeof bits) bits = static_cast<std::uint64_t>(getpid());
  std::string name(prefix);
  for (std::size_t i = 0; i < digits; ++i) name += "0123456789abcdef"[(bits >> (4 * i)) & 15];
  return cat(name, suffix);
}

// Whether the name in the folder is that of the open file.
bool is_still(int folder, const char* name, int descriptor) {
  struct stat by_name {
  }, open_file{};
  return fstatat(folder, name, &by_name, AT_SYMLINK_NOFOLLOW) == 0 && fstat(descriptor, &open_file) == 0 &&
         by_name.st_dev == open_file.st_dev && by_name.st_ino == open_file.st_ino;
}

// Removes a temporary file unless its process lives: it then has the lock.
void remove_if_abandoned(int folder, const char* name) {
  const Descriptor file(openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat about {};
  if (!file || fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid()) return;
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0 && is_still(folder, name, file.get())) unlinkat(folder, name, 0);
}

void remove_abandoned(int folder) {
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, decltype([](DIR* dir) { closedir(dir); })> entries(again < 0 ? nullptr : fdopendir(again));
  if (!entries) return;
  while (const dirent* const entry = readdir(entries.get())) {
    if (is_temporary(entry->d_name)) remove_if_abandoned(folder, entry->d_name);
  }
}

// For the signal handler: the file to remove.
std::atomic<int> folder_at_signal = -1;
char name_at_signal[name_size + 1];

constexpr int ending[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction previous[std::size(ending)], previous_size_limit;

void remove_and_end(int signal) {
  const int folder = folder_at_signal;
  if (folder >= 0) unlinkat(folder, name_at_signal, 0);
  raise(signal);  // ends the process: the handler was reset to the default
}

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = remove_and_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(ending); ++i) {
    sigaction(ending[i], nullptr, &previous[i]);
    if (previous[i].sa_handler != SIG_IGN) sigaction(ending[i], &action, nullptr);
  }
  // A file beyond the limit of the process becomes an error of the system call that makes it.
  action.sa_handler = SIG_IGN;
  action.sa_flags = 0;
  sigaction(SIGXFSZ, &action, &previous_size_limit);
}

void restore_signals() {
  for (std::size_t i = 0; i < std::size(ending); ++i) sigaction(ending[i], &previous[i], nullptr);
  sigaction(SIGXFSZ, &previous_size_limit, nullptr);
}

// Renames unless `to` exists. Where the file system cannot do that in one step, another process can create `to` between two.
int rename_new(int folder, const char* from, const char* to) {
#ifdef RENAME_NOREPLACE
  if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
#endif
  if (faccessat(folder, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return -1;
  }
  return renameat(folder, from, folder, to);
}

}  // namespace

Temporary::Temporary(int folder, unsigned mode, const std::string& file) : folder_(folder), file_(file) {
  remove_abandoned(folder);
  handle_signals();
  // Another run can take a new file for an abandoned one until it is locked, and remove it.
  for (int tries = 0; tries < 100; ++tries) {
    name_ = random_name();
    std::memcpy(name_at_signal, name_.c_str(), name_.size() + 1);
    folder_at_signal = folder;
    descriptor_ = Descriptor(openat(folder, name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!descriptor_ && errno == EEXIST) continue;
    if (!descriptor_) break;
    flock(descriptor_.get(), LOCK_EX | LOCK_NB);
    if (is_still(folder, name_.c_str(), descriptor_.get())) return;
    unlinkat(folder, name_.c_str(), 0);  // in case it could only not be examined
  }
  const int reason = errno;
  folder_at_signal = -1;
  restore_signals();
  fail_system(file, "cannot be written: no temporary file could be created in its folder", reason);
}

Temporary::~Temporary() {
  if (!name_.empty()) unlinkat(folder_, name_.c_str(), 0);
  folder_at_signal = -1;
  restore_signals();
}

void Temporary::become(const std::string& name, bool replace) {
  const int result = replace ? renameat(folder_, name_.c_str(), folder_, name.c_str()) : rename_new(folder_, name_.c_str(), name.c_str());
  if (result != 0 && errno == EEXIST) fail(file_, "exists; --force replaces it");
  if (result != 0) fail_system(file_, "cannot be written", errno);
  folder_at_signal = -1;
  name_.clear();
}

}  // namespace strew::files

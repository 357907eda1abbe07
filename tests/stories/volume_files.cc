#include "stories/volume_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include "base/random.h"

namespace landfall::stories {

namespace fs = std::filesystem;

void write_random(const fs::path& path, std::size_t size, std::uint64_t seed) {
  SeededRandom random(seed);
  std::string block(1U << 20U, '\0');
  std::ofstream file(path, std::ios::binary);
  for (std::size_t at = 0; at < size; at += block.size()) {
    for (std::size_t i = 0; i < block.size(); i += 8) {
      const std::uint64_t bits = random.uniform(~std::uint64_t{0});
      std::memcpy(block.data() + i, &bits, sizeof(bits));
    }
    file.write(block.data(), static_cast<std::streamsize>(std::min(block.size(), size - at)));
  }
}

void fill_volume(const fs::path& volume) {
  fs::create_directories(volume / "tables" / "empty");
  write_random(volume / "tables" / "orders", 48U << 20U, 7);
  for (std::size_t i = 0; i < 50; ++i) write_random(volume / "tables" / ("page" + std::to_string(i)), 10'000 + i, i);
  std::ofstream(volume / "b\xc3\xb6rse \n two lines") << "odd name";
  fs::create_symlink("tables/orders", volume / "newest");
  fs::create_hard_link(volume / "tables" / "orders", volume / "orders.hard");
  fs::permissions(volume / "tables" / "page1", fs::perms::owner_read | fs::perms::set_gid);
  fs::permissions(volume / "tables" / "empty", fs::perms::owner_all);
  if (::geteuid() == 0 && ::chown((volume / "tables" / "page2").c_str(), 999, 998) != 0)
    throw std::runtime_error("chown");
  (void)::setxattr((volume / "tables" / "page3").c_str(), "user.color", "blue", 4, 0);
  std::ofstream(volume / "sparse").close();
  fs::resize_file(volume / "sparse", 5'000'000);
  const timespec long_ago{.tv_sec = 1'000'000'000, .tv_nsec = 123'456'789};
  const std::array<timespec, 2> times{long_ago, long_ago};
  if (::utimensat(AT_FDCWD, (volume / "tables" / "page4").c_str(), times.data(), 0) != 0)
    throw std::runtime_error("time");
}

}  // namespace landfall::stories

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace landfall::stories {

void write_random(const std::filesystem::path& path, std::size_t size, std::uint64_t seed);

// A bit of everything that files can be, some 50 MB of it.
void fill_volume(const std::filesystem::path& volume);

}  // namespace landfall::stories

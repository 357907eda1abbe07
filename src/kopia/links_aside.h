#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"

// Kopia follows links that stand where it restores a file or a directory: out of the volume, as root. Even one that
// stays in the volume may lead to a link that the snapshot brings. It lists no snapshot in a way that could be read, so
// that all links are out of its way while it restores, as are pipes, sockets and devices.
//
// They are kept in a directory of the volume, by their paths. Its name cannot be guessed: a snapshot has nothing for
// it.
namespace landfall::kopia {

// Moves them there. What an earlier process left aside is put back before.
Status take_links_aside(const std::string& volume, const std::stop_token& stop);

// Moves them back where nothing has taken their places, and removes the others: there the snapshot has something newer
// to say. Nothing aside is no error.
Status put_links_back(const std::string& volume);

}  // namespace landfall::kopia

#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "io/url.h"
#include "io/websocket.h"
#include "kube/client.h"

namespace landfall::kube {

// Opens a WebSocket to a path of the API server with the identity of the moment.
//
// A refusal becomes the error that the server's Status stands for. Tried again with backoff until the deadline is what
// cannot have had an effect: a connection that was not made, a 429. A 401 is tried once more with a fresh identity.
Result<std::unique_ptr<io::WebSocket>> open_socket(Client& client, const std::string& path,
                                                   const io::QueryParameters& query,
                                                   const std::vector<std::string>& protocols, SteadyTime deadline,
                                                   const std::stop_token& stop);

}  // namespace landfall::kube

#pragma once

#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"

namespace landfall::sandbox {

// What a TLS server on loopback needs, as PEM.
struct ServerCertificate {
  std::string ca;
  std::string certificate;
  std::string key;
};

// A fresh authority and a certificate of it for localhost, 127.0.0.1, ::1 and the names of the kubernetes service, good
// for a year. The authority's key is thrown away.
Result<ServerCertificate> make_server_certificate(const Clock& clock, Random& random);

}  // namespace landfall::sandbox

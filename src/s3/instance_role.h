#pragma once

#include "base/clock.h"
#include "base/environment.h"
#include "base/result.h"
#include "s3/credentials.h"

namespace landfall::s3 {

// How the role of the machine we run on is asked for: of the container's agent where the environment names one (ECS,
// EKS Pod Identity), of EC2's instance metadata otherwise, in its second version. Neither goes through a proxy, and
// both give up after a few seconds: most machines have none.
Result<RenewedCredentials::Fetch> role_of_machine(const Environment& environment, Clock& clock);

}  // namespace landfall::s3

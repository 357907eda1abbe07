#pragma once

#include <string>
#include <string_view>

#include "s3/sigv4.h"

// The part of Signature Version 4A that differs from version 4: a key pair in place of a shared secret, so that any
// region can check a signature. Multi-region access points want it. Pure functions.

namespace landfall::s3 {

// The private key that belongs to the credentials: 32 bytes, the highest first.
std::string derive_private_key(const Credentials& credentials);
// ECDSA over P-256 and SHA-256, DER, in hexadecimal digits. Never the same twice.
std::string sign_ecdsa(std::string_view private_key, std::string_view text);

}  // namespace landfall::s3

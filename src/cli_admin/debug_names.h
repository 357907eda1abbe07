#pragma once

#include <string_view>

// What the names in objects and logs say about the values behind them, for debug bundles. Names of secrets are guessed
// generously; what is kept is listed by name. Pure functions.

namespace landfall::cli {

// Whether one of the words in a name (PGPASSWORD, resticPass, db/pass, SECRET_KEY_FILE) is one for a secret. What else
// is in the name changes nothing; a few names are known to be harmless as they stand (secretName, kmsKeyId …).
bool is_secret_name(std::string_view name);

// Fields that point to a secret by its name and key: secretKeyRef, credential, imagePullSecrets …
bool is_reference(std::string_view field);

// Variables that an installation sets; those for credentials only as long as they hold a path.
bool is_kept_variable(std::string_view name, std::string_view value);

// Keys of the `config` of a location and its like that are known to hold no secret.
bool is_kept_setting(std::string_view key);

// Flags of the server and its helpers ("--log-level"), and the words that come first ("server").
bool is_kept_flag(std::string_view flag);
bool is_kept_word(std::string_view word);

// Annotations of Kubernetes, Helm, Velero and Landfall, by what stands before the "/".
bool is_known_annotation(std::string_view key);

}  // namespace landfall::cli

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LIVE_SHA256_H
#define MFTPUBSUB_LIVE_SHA256_H

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace mftpubsub::live
{

using Digest = std::array<uint8_t, 32>;
using Parts = std::initializer_list<std::span<const uint8_t>>;

/// @return SHA-256 (FIPS 180-4) of @p parts, one after the other
Digest Sha256(Parts parts);

/// @return HMAC-SHA-256 (RFC 2104) of @p parts, one after the other
Digest Hmac(std::span<const uint8_t> key, Parts parts);

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_LIVE_SHA256_H */

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LIVE_SHA256_H
#define MFTPUBSUB_LIVE_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace mftpubsub::live
{

using Digest = std::array<uint8_t, 32>;
using Parts = std::initializer_list<std::span<const uint8_t>>;

/// A SHA-256 that is being made.
class Hasher
{
  public:
    static constexpr size_t BLOCK_BYTES = 64;

    void Add(std::span<const uint8_t> bytes);

    /// @return of all that was added; nothing may follow
    Digest Finish();

  private:
    void Compress();

    std::array<uint32_t, 8> m_state{0x6a09e667,
                                    0xbb67ae85,
                                    0x3c6ef372,
                                    0xa54ff53a,
                                    0x510e527f,
                                    0x9b05688c,
                                    0x1f83d9ab,
                                    0x5be0cd19};
    std::array<uint8_t, BLOCK_BYTES> m_block{};
    size_t m_filled{0};
    uint64_t m_bytes{0};
};

/// @return SHA-256 (FIPS 180-4) of @p parts, one after the other
Digest Sha256(Parts parts);

/// @return HMAC-SHA-256 (RFC 2104) of @p parts, one after the other
Digest Hmac(std::span<const uint8_t> key, Parts parts);

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_LIVE_SHA256_H */

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "live/sha256.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace mftpubsub::live
{

namespace
{

constexpr size_t LENGTH_BYTES = 8;

/// The first bits of the fractions of the cube roots of the first 64 primes.
constexpr std::array<uint32_t, 64> ROUND_CONSTANTS{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

} // namespace

void
Hasher::Add(std::span<const uint8_t> bytes)
{
    for (const auto byte : bytes)
    {
        m_block[m_filled++] = byte;
        if (m_filled == Hasher::BLOCK_BYTES)
        {
            Compress();
        }
    }
    m_bytes += bytes.size();
}

Digest
Hasher::Finish()
{
    const auto bits = m_bytes * 8;
    const uint8_t one = 0x80;
    Add({&one, 1});
    const uint8_t zero = 0;
    while (m_filled != Hasher::BLOCK_BYTES - LENGTH_BYTES)
    {
        Add({&zero, 1});
    }
    for (int shift = 56; shift >= 0; shift -= 8)
    {
        const auto byte = static_cast<uint8_t>(bits >> shift);
        Add({&byte, 1});
    }
    Digest digest{};
    for (size_t at = 0; at < digest.size(); ++at)
    {
        digest[at] = static_cast<uint8_t>(m_state[at / 4] >> (24 - 8 * (at % 4)));
    }
    return digest;
}

void
Hasher::Compress()
{
    std::array<uint32_t, 64> words{};
    for (size_t at = 0; at < Hasher::BLOCK_BYTES; ++at)
    {
        words[at / 4] = words[at / 4] << 8 | m_block[at];
    }
    for (size_t at = 16; at < words.size(); ++at)
    {
        const auto a = words[at - 15];
        const auto b = words[at - 2];
        words[at] = words[at - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + words[at - 7] +
                    (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = m_state;
    for (size_t at = 0; at < words.size(); ++at)
    {
        const auto up = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                        ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[at] + words[at];
        const auto down =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + up;
        d = c;
        c = b;
        b = a;
        a = up + down;
    }
    const std::array<uint32_t, 8> added{a, b, c, d, e, f, g, h};
    for (size_t at = 0; at < added.size(); ++at)
    {
        m_state[at] += added[at];
    }
    m_filled = 0;
}

Digest
Sha256(Parts parts)
{
    Hasher hasher;
    for (const auto part : parts)
    {
        hasher.Add(part);
    }
    return hasher.Finish();
}

Digest
Hmac(std::span<const uint8_t> key, Parts parts)
{
    std::array<uint8_t, Hasher::BLOCK_BYTES> padded{};
    if (key.size() > Hasher::BLOCK_BYTES)
    {
        std::ranges::copy(Sha256({key}), padded.begin());
    }
    else
    {
        std::ranges::copy(key, padded.begin());
    }
    auto inner = padded;
    auto outer = padded;
    std::ranges::for_each(inner, [](uint8_t& byte) { byte ^= 0x36; });
    std::ranges::for_each(outer, [](uint8_t& byte) { byte ^= 0x5c; });
    Hasher hasher;
    hasher.Add(inner);
    for (const auto part : parts)
    {
        hasher.Add(part);
    }
    return Sha256({outer, hasher.Finish()});
}

} // namespace mftpubsub::live

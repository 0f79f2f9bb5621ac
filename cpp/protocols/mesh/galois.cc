/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/galois.h"

#include <algorithm>
#include <array>

namespace mftpubsub::mesh::galois
{

namespace
{

constexpr unsigned POLYNOMIAL = 0x11d;
constexpr unsigned ORDER = 255; //!< of 2, whose powers are all elements but 0

struct Tables
{
    std::array<uint8_t, 2 * ORDER> powers{}; //!< of 2, twice over
    std::array<uint8_t, ORDER + 1> logarithms{};
};

constexpr Tables
MakeTables()
{
    Tables tables;
    unsigned power = 1;
    for (unsigned i = 0; i < ORDER; ++i)
    {
        tables.powers[i] = tables.powers[i + ORDER] = static_cast<uint8_t>(power);
        tables.logarithms[power] = static_cast<uint8_t>(i);
        power <<= 1;
        power ^= power > ORDER ? POLYNOMIAL : 0;
    }
    return tables;
}

constexpr Tables TABLES = MakeTables();

} // namespace

uint8_t
Times(uint8_t one, uint8_t other)
{
    return one == 0 || other == 0
               ? 0
               : TABLES.powers[TABLES.logarithms[one] + TABLES.logarithms[other]];
}

uint8_t
Inverse(uint8_t one)
{
    return one == 0 ? 0 : TABLES.powers[ORDER - TABLES.logarithms[one]];
}

void
AddTimes(Bytes& to, uint8_t factor, std::span<const uint8_t> from)
{
    to.resize(std::max(to.size(), from.size()));
    for (size_t i = 0; i < from.size(); ++i)
    {
        to[i] ^= Times(factor, from[i]);
    }
}

} // namespace mftpubsub::mesh::galois

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

/// Products of one factor with all elements: a sum looks them up for each byte.
using Multiples = std::array<uint8_t, ORDER + 1>;

std::array<Multiples, ORDER + 1>
MakeProducts() noexcept
{
    std::array<Multiples, ORDER + 1> products{};
    for (unsigned one = 1; one <= ORDER; ++one)
    {
        for (unsigned other = 1; other <= ORDER; ++other)
        {
            products[one][other] = TABLES.powers[TABLES.logarithms[one] + TABLES.logarithms[other]];
        }
    }
    return products;
}

const auto PRODUCTS = MakeProducts(); // more steps than clang evaluates for a constexpr

} // namespace

uint8_t
Times(uint8_t one, uint8_t other)
{
    return PRODUCTS[one][other];
}

uint8_t
Inverse(uint8_t one)
{
    return one == 0 ? 0 : TABLES.powers[ORDER - TABLES.logarithms[one]];
}

/// The elements of GF(16) are 0 and those whose 15th power is 1.
uint8_t
FromNibble(uint8_t nibble)
{
    return nibble == 0 ? 0 : TABLES.powers[(nibble - 1) * (ORDER / UNITS)];
}

uint8_t
ToNibble(uint8_t element)
{
    return element == 0 ? 0
                        : static_cast<uint8_t>(1 + TABLES.logarithms[element] / (ORDER / UNITS));
}

void
AddTimes(Bytes& to, uint8_t factor, std::span<const uint8_t> from)
{
    to.resize(std::max(to.size(), from.size()));
    const auto* multiples = PRODUCTS[factor].data();
    auto* sum = to.data(); // else each byte that is written may be this pointer, for the compiler
    for (size_t i = 0; i < from.size(); ++i)
    {
        sum[i] ^= multiples[from[i]];
    }
}

} // namespace mftpubsub::mesh::galois

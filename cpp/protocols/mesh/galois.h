/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_GALOIS_H
#define MFTPUBSUB_PROTOCOLS_MESH_GALOIS_H

#include "content/bytes.h"

#include <cstdint>
#include <span>

// Bytes as elements of the field GF(256), modulo x^8 + x^4 + x^3 + x^2 + 1. A sum is XOR.
namespace mftpubsub::mesh::galois
{

uint8_t Times(uint8_t one, uint8_t other);

/// @return what @p one times gives 1; of 0, which has none, 0
uint8_t Inverse(uint8_t one);

/// How many elements of the subfield GF(16) are not 0.
inline constexpr uint8_t UNITS = 15;

/// @return the element of GF(16) of this number, 0 to 15
uint8_t FromNibble(uint8_t nibble);

/// @return the number of an element of GF(16); 0 of 0
uint8_t ToNibble(uint8_t element);

/// Adds @p factor times @p from to @p to, byte by byte. What is shorter goes on with zeros.
void AddTimes(Bytes& to, uint8_t factor, std::span<const uint8_t> from);

} // namespace mftpubsub::mesh::galois

#endif /* MFTPUBSUB_PROTOCOLS_MESH_GALOIS_H */

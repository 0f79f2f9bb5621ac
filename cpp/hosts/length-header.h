/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_LENGTH_HEADER_H
#define MFTPUBSUB_HOSTS_LENGTH_HEADER_H

#include "ns3/header.h"

namespace mftpubsub
{

/// Says where a frame ends, of a device that fills short ones up: two bytes.
class LengthHeader : public ns3::Header
{
  public:
    static constexpr uint16_t BYTES = 2;

    static ns3::TypeId GetTypeId();

    LengthHeader() = default;
    explicit LengthHeader(uint16_t length);

    uint16_t GetLength() const;

    ns3::TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(ns3::Buffer::Iterator start) const override;
    uint32_t Deserialize(ns3::Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

  private:
    uint16_t m_length{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_LENGTH_HEADER_H */

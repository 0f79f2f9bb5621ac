/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_CARRIED_EVENTS_TAG_H
#define MFTPUBSUB_HOSTS_CARRIED_EVENTS_TAG_H

#include "content/event.h"

#include "ns3/tag.h"

#include <vector>

namespace mftpubsub
{

/// Says which events a packet carries whose bytes only its own protocol can read.
class CarriedEventsTag : public ns3::Tag
{
  public:
    static ns3::TypeId GetTypeId();

    CarriedEventsTag() = default;
    explicit CarriedEventsTag(std::vector<EventId> events);

    const std::vector<EventId>& GetEvents() const;

    ns3::TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(ns3::TagBuffer out) const override;
    void Deserialize(ns3::TagBuffer in) override;
    void Print(std::ostream& out) const override;

  private:
    std::vector<EventId> m_events;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_CARRIED_EVENTS_TAG_H */

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HELPER_PUBSUB_SETTINGS_H
#define MFTPUBSUB_HELPER_PUBSUB_SETTINGS_H

#include "scenario/scenario.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/type-id.h"

#include <cstdint>

namespace mftpubsub
{

/**
 * What a script may set of the protocols, as attributes. The defaults are Scenario's, which are
 * those of a scenario file that names nothing.
 */
class PubSubSettings : public ns3::Object
{
  public:
    static ns3::TypeId GetTypeId();

    /// Puts the attributes where the stacks read them.
    void Apply(Scenario& scenario) const;

  private:
    static ns3::TypeId AddTree(ns3::TypeId type);
    static ns3::TypeId AddMesh(ns3::TypeId type);

    ns3::Time m_heartbeatInterval;
    ns3::Time m_leaderTimeout;
    uint8_t m_window{0};
    uint16_t m_maxFrameBytes{0};
    ns3::Time m_handoffPing;
    bool m_arp{false};
    ns3::Time m_meshHeartbeat;
    ns3::Time m_meshHeartbeatMax;
    ns3::Time m_meshForward;
    ns3::Time m_meshSettle;
    uint32_t m_meshCopies{0};
    bool m_meshScoping{false};
    bool m_meshPositions{false};
    ns3::Time m_epidemicInterval;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HELPER_PUBSUB_SETTINGS_H */

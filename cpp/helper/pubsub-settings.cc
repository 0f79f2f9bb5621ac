/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "helper/pubsub-settings.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

namespace mftpubsub
{

NS_OBJECT_ENSURE_REGISTERED(PubSubSettings);

namespace
{

/// @return what holds where nothing is set; asked for while types are registered
const Scenario&
Defaults()
{
    static const Scenario defaults;
    return defaults;
}

/// Protocols add such times up, in nanoseconds; scenarios have the same greatest one.
ns3::Ptr<const ns3::AttributeChecker>
MakePeriodChecker()
{
    return ns3::MakeTimeChecker(ns3::MilliSeconds(1), ns3::Seconds(1e7));
}

} // namespace

ns3::TypeId
PubSubSettings::GetTypeId()
{
    static ns3::TypeId tid = AddMesh(AddTree(ns3::TypeId("mftpubsub::PubSubSettings")
                                                 .SetParent<ns3::Object>()
                                                 .SetGroupName("Mftpubsub")
                                                 .AddConstructor<PubSubSettings>()));
    return tid;
}

ns3::TypeId
PubSubSettings::AddTree(ns3::TypeId type)
{
    return type
        .AddAttribute("HeartbeatInterval",
                      "Between the heartbeats of brokers in a tree, and of fixed ones",
                      ns3::TimeValue(ns3::Seconds(Defaults().heartbeatIntervalSeconds)),
                      ns3::MakeTimeAccessor(&PubSubSettings::m_heartbeatInterval),
                      MakePeriodChecker())
        .AddAttribute("LeaderTimeout",
                      "After so long without the leader's heartbeat brokers elect another",
                      ns3::TimeValue(ns3::Seconds(Defaults().leaderTimeoutSeconds)),
                      ns3::MakeTimeAccessor(&PubSubSettings::m_leaderTimeout),
                      MakePeriodChecker())
        .AddAttribute("Window",
                      "Frames of a session that may wait for their acknowledgement",
                      ns3::UintegerValue(Defaults().window),
                      ns3::MakeUintegerAccessor(&PubSubSettings::m_window),
                      ns3::MakeUintegerChecker<uint8_t>(1))
        .AddAttribute("MaxFrameBytes",
                      "Size of a frame on the air, with the headers of PHY and MAC, B",
                      ns3::UintegerValue(Defaults().maxFrameBytes),
                      ns3::MakeUintegerAccessor(&PubSubSettings::m_maxFrameBytes),
                      ns3::MakeUintegerChecker<uint16_t>(64))
        .AddAttribute("HandoffPing",
                      "Between the pings of a client that moves between fixed brokers",
                      ns3::TimeValue(ns3::Seconds(Defaults().handoff.pingSeconds)),
                      ns3::MakeTimeAccessor(&PubSubSettings::m_handoffPing),
                      MakePeriodChecker())
        .AddAttribute("Arp",
                      "Over IP: whether addresses are asked for; else all know all",
                      ns3::BooleanValue(Defaults().hasArp),
                      ns3::MakeBooleanAccessor(&PubSubSettings::m_arp),
                      ns3::MakeBooleanChecker());
}

ns3::TypeId
PubSubSettings::AddMesh(ns3::TypeId type)
{
    return type
        .AddAttribute("MeshHeartbeat",
                      "Between a station's heartbeats while something changes",
                      ns3::TimeValue(ns3::Seconds(Defaults().mesh.heartbeatSeconds)),
                      ns3::MakeTimeAccessor(&PubSubSettings::m_meshHeartbeat),
                      MakePeriodChecker())
        .AddAttribute("MeshHeartbeatMax",
                      "Between a station's heartbeats while nothing does",
                      ns3::TimeValue(ns3::Seconds(Defaults().mesh.heartbeatMaxSeconds)),
                      ns3::MakeTimeAccessor(&PubSubSettings::m_meshHeartbeatMax),
                      MakePeriodChecker())
        .AddAttribute("MeshForward",
                      "A new event is forwarded within this time",
                      ns3::TimeValue(ns3::Seconds(Defaults().mesh.forwardSeconds)),
                      ns3::MakeTimeAccessor(&PubSubSettings::m_meshForward),
                      MakePeriodChecker())
        .AddAttribute("MeshSettle",
                      "The age from which an event is compared with what neighbours have",
                      ns3::TimeValue(ns3::Seconds(Defaults().mesh.settleSeconds)),
                      ns3::MakeTimeAccessor(&PubSubSettings::m_meshSettle),
                      MakePeriodChecker())
        .AddAttribute("MeshCopies",
                      "Copies of an event, once heard, after which it is not forwarded",
                      ns3::UintegerValue(Defaults().mesh.copies),
                      ns3::MakeUintegerAccessor(&PubSubSettings::m_meshCopies),
                      ns3::MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("MeshScoping",
                      "Whether an event that few want goes to them only",
                      ns3::BooleanValue(Defaults().mesh.isScoped),
                      ns3::MakeBooleanAccessor(&PubSubSettings::m_meshScoping),
                      ns3::MakeBooleanChecker())
        .AddAttribute("MeshPositions",
                      "Whether devices know where they are, and send an event that few want there",
                      ns3::BooleanValue(Defaults().mesh.usesPositions),
                      ns3::MakeBooleanAccessor(&PubSubSettings::m_meshPositions),
                      ns3::MakeBooleanChecker())
        .AddAttribute("EpidemicInterval",
                      "Between the summary vectors of epidemic",
                      ns3::TimeValue(ns3::Seconds(Defaults().epidemicIntervalSeconds)),
                      ns3::MakeTimeAccessor(&PubSubSettings::m_epidemicInterval),
                      MakePeriodChecker());
}

void
PubSubSettings::Apply(Scenario& scenario) const
{
    scenario.heartbeatIntervalSeconds = m_heartbeatInterval.GetSeconds();
    scenario.leaderTimeoutSeconds = m_leaderTimeout.GetSeconds();
    scenario.window = m_window;
    scenario.maxFrameBytes = m_maxFrameBytes;
    scenario.handoff.pingSeconds = m_handoffPing.GetSeconds();
    scenario.hasArp = m_arp;
    scenario.mesh.heartbeatSeconds = m_meshHeartbeat.GetSeconds();
    scenario.mesh.heartbeatMaxSeconds = m_meshHeartbeatMax.GetSeconds();
    scenario.mesh.forwardSeconds = m_meshForward.GetSeconds();
    scenario.mesh.settleSeconds = m_meshSettle.GetSeconds();
    scenario.mesh.copies = m_meshCopies;
    scenario.mesh.isScoped = m_meshScoping;
    scenario.mesh.usesPositions = m_meshPositions;
    scenario.epidemicIntervalSeconds = m_epidemicInterval.GetSeconds();
}

} // namespace mftpubsub

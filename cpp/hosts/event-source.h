/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_EVENT_SOURCE_H
#define MFTPUBSUB_HOSTS_EVENT_SOURCE_H

#include "content/event.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <functional>
#include <string>
#include <vector>

namespace mftpubsub
{

/// An attribute of an event that a publisher may publish: a name, and where its values come from.
struct AttributeDraw
{
    std::string name;
    std::function<Value(ns3::UniformRandomVariable&)> draw; //!< a constant does not draw
};

/// The attributes of an event that a publisher may publish.
using EventTemplate = std::vector<AttributeDraw>;

/// What and when a publisher publishes.
struct TrafficOptions
{
    ns3::Time start;                   //!< the first event comes within one interval from here
    ns3::Time stop;                    //!< no event at or after this time
    ns3::Time interval;                //!< between events
    uint16_t payloadBytes{0};          //!< of each event
    std::vector<EventTemplate> events; //!< one is chosen uniformly for each event (J 6)
};

/**
 * Makes a publisher's events: periodic, with a random phase. Its random draws are its own, so that
 * every protocol gets the same events at the same times under one seed.
 */
class EventSource
{
  public:
    using Publish = std::function<void(const EventPtr&)>;

    /**
     * @param stream of the random draws
     * @param publish called with each event, at its time of publication
     */
    EventSource(NodeId publisher, TrafficOptions options, int64_t stream, Publish publish);

  private:
    void Fire();

    NodeId m_publisher;
    TrafficOptions m_options;
    Publish m_publish;
    uint32_t m_nextSequence{0};
    ns3::Ptr<ns3::UniformRandomVariable> m_uniform;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_EVENT_SOURCE_H */

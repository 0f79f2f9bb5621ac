/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_EVENT_SOURCE_H
#define MFTPUBSUB_HOSTS_EVENT_SOURCE_H

#include "content/event.h"
#include "hosts/arrivals.h"

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// Where a value of an event comes from; a constant does not draw.
using Draw = std::function<Value(ns3::UniformRandomVariable&)>;

/// An event that a publisher may publish.
struct EventTemplate
{
    std::vector<std::pair<std::string, Draw>> attributes; //!< by name
    Draw payloadBytes;                                    //!< a whole number
};

/// What and when a publisher publishes.
struct TrafficOptions
{
    ns3::Time start;                   //!< no event before
    ns3::Time stop;                    //!< no event at or after this time
    Arrivals arrivals;                 //!< when events come
    std::vector<EventTemplate> events; //!< one is chosen uniformly for each event (J 6)
    bool isInOrder{false};             //!< events come one after the other, each once, instead
};

/**
 * Makes a publisher's events. Its random draws are its own, so that every protocol gets the same
 * events at the same times under one seed.
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
    void ScheduleNext(ns3::Time after);
    void Fire();
    const EventTemplate& ChooseTemplate();

    NodeId m_publisher;
    TrafficOptions m_options;
    Publish m_publish;
    uint32_t m_nextSequence{0};
    ns3::Ptr<ns3::UniformRandomVariable> m_uniform;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_EVENT_SOURCE_H */

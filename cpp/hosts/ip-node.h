/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_IP_NODE_H
#define MFTPUBSUB_HOSTS_IP_NODE_H

#include "content/event-set.h"
#include "content/event.h"
#include "hosts/ip-frame-kinds.h"
#include "trace/run-trace.h"

#include "ns3/application.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/packet.h"
#include "ns3/socket.h"
#include "ns3/traced-callback.h"

#include <string>
#include <vector>

namespace mftpubsub
{

/// The UDP port of events' datagrams.
inline constexpr uint16_t EVENT_PORT = 4000;

/**
 * A device of the baselines over IP, as the thesis compares itself with AODV (T 4.5.1, J 6): every
 * node runs a routing protocol of ns-3's and forwards; a publisher sends each event as one UDP
 * datagram to each matching subscriber, whom it knows.
 *
 * The datagram is the event's payload, with the event's id in its first six bytes.
 */
class IpNode : public ns3::Application
{
  public:
    static ns3::TypeId GetTypeId();

    /**
     * @param device that IPv4 is on: the node's own, or an AckedNetDevice over it
     * @param trace is told what happens; must outlive the node
     */
    IpNode(NodeId id, ns3::Ptr<ns3::NetDevice> device, RunTrace& trace);

    /// The application on this device sends @p event to each of @p subscribers.
    void Publish(const EventPtr& event, const std::vector<NodeId>& subscribers);

    /**
     * The device has crashed, or is back. The routing protocol's own state stays and ages: ns-3's
     * AODV cannot be restarted, since it starts its HELLO timer once and stops it with its last
     * interface. Routes and neighbours that nobody confirms are gone within seconds.
     *
     * @param isUp whether it is back
     */
    void SetUp(bool isUp);

    /**
     * TracedCallback signature of Published.
     *
     * @param event that the application on this device has published
     */
    typedef void (*EventTracedCallback)(const Event& event);

    /**
     * TracedCallback signature of Delivered.
     *
     * @param event of which a datagram has reached the subscriber on this device, by its id
     * @param hops that it has made
     * @param isDuplicate whether the application has seen the event before
     */
    typedef void (*DeliveryTracedCallback)(EventId event, uint8_t hops, bool isDuplicate);

    /**
     * TracedCallback signature of Frame.
     *
     * @param kind of the frame that goes on the air
     * @param to its destination, by node id; NO_NODE for a broadcast
     * @param bytesOnAir its size, MAC and PHY included
     */
    typedef void (*FrameTracedCallback)(const std::string& kind, uint16_t to, uint32_t bytesOnAir);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;

    void ReceiveDatagrams(ns3::Ptr<ns3::Socket> socket);
    void Deliver(EventId event, uint8_t hops);
    void FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                    uint16_t protocol,
                    ns3::Mac48Address to,
                    uint32_t bytesOnAir);
    void FrameDropped(ns3::Ptr<const ns3::Packet> frame,
                      uint16_t protocol,
                      ns3::Mac48Address to,
                      uint32_t bytesOnAir);
    void GivenUp(ns3::Ptr<const ns3::Packet> packet, uint16_t protocol);
    void AddressUnknown(ns3::Ptr<const ns3::Packet> packet);
    void Forwarded(const ns3::Ipv4Header& ip, ns3::Ptr<const ns3::Packet> packet, uint32_t);
    void Dropped(const ns3::Ipv4Header& ip,
                 ns3::Ptr<const ns3::Packet> packet,
                 ns3::Ipv4L3Protocol::DropReason reason,
                 ns3::Ptr<ns3::Ipv4> ipv4,
                 uint32_t interface);

    /// Tells the trace what has become of the event in an IPv4 packet, if there is one.
    void NoteFate(const ns3::Ipv4Header& ip,
                  const ns3::Ptr<const ns3::Packet>& payload,
                  LossCause cause);
    void NoteFate(const ns3::Ptr<const ns3::Packet>& packet, LossCause cause);

    NodeId m_id;
    ns3::Ptr<ns3::NetDevice> m_device;
    bool m_isAcked; //!< the device repeats what was lost on the air
    RunTrace& m_trace;
    ns3::Ptr<ns3::Socket> m_socket;
    bool m_isUp{true};
    EventSet m_seen;
    IpFrameKinds m_kinds;

    ns3::TracedCallback<const Event&> m_publishedTrace;
    ns3::TracedCallback<EventId, uint8_t, bool> m_deliveredTrace;
    ns3::TracedCallback<const std::string&, uint16_t, uint32_t> m_frameTrace;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_IP_NODE_H */

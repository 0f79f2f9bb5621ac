/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_PUBSUB_NODE_H
#define MFTPUBSUB_HOSTS_PUBSUB_NODE_H

#include "hosts/device-port.h"
#include "hosts/machine-timer.h"
#include "hosts/session-port.h"
#include "stations/tree-station.h"
#include "trace/run-trace.h"

#include "ns3/application.h"
#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <optional>
#include <string>
#include <vector>

namespace mftpubsub
{

/// Parameters of a PubSubNode.
struct PubSubOptions : TreeOptions
{
    int64_t stream{0}; //!< of this node's random draws
};

/**
 * A device's part in a publish/subscribe system: hosts a TreeStation on a network interface
 * (DevicePort), and gives it time, randomness and sessions.
 */
class PubSubNode : public ns3::Application, private TreeHost
{
  public:
    static ns3::TypeId GetTypeId();

    /// @param trace is told what happens; must outlive the node
    PubSubNode(PubSubOptions options, RunTrace& trace);
    ~PubSubNode() override;

    /// The application on this device publishes @p event.
    void Publish(const EventPtr& event);

    /// The application on this device subscribes; it may do so before the node starts.
    void Subscribe(const Filter& filter);

    void Unsubscribe(const Filter& filter);

    /// Tells the trace that @p cause has befallen the events in the broker's queues.
    void NoteQueued(LossCause cause) const;

    /// Tells the trace that @p cause has befallen the events that the broker has given to the
    /// transport and that are still there.
    void NoteUnderway(LossCause cause) const;

    // For those who look at it from outside

    /// @return a broker's parent in the tree, another device's broker; NO_NODE if there is none
    NodeId GetParent() const;

    /// @return whom a broker follows (itself if it leads); NO_NODE without the broker role
    NodeId GetLeader() const;

    /// @return the events that a broker holds, one for each subscriber they are held for
    uint32_t CountQueuedEvents() const;

    /// @return a broker's routing table, by ascending subscriber; empty without the broker role
    std::vector<RouteView> GetTable() const;

    /// @return a broker's non-empty queues, by ascending subscriber
    std::vector<QueueView> GetQueues() const;

    /**
     * The device has crashed: this is over and must not be used any more.
     *
     * @return what the next PubSubOptions on this device need
     */
    std::optional<Subscriber> Crash();

    /**
     * TracedCallback signature of Published.
     *
     * @param event that the application on this device has published
     */
    typedef void (*EventTracedCallback)(const Event& event);

    /**
     * TracedCallback signature of Delivered.
     *
     * @param event that has reached the subscriber on this device
     * @param from the broker that it came from, by node id
     * @param hops that this copy has made
     * @param isDuplicate whether the application has seen it before
     */
    typedef void (*DeliveryTracedCallback)(const Event& event,
                                           uint16_t from,
                                           uint8_t hops,
                                           bool isDuplicate);

    /**
     * TracedCallback signature of Migrated.
     *
     * @param kind of the message by which a role on this device migrates: "BMIG" or "MIG"
     * @param parent its new parent, or broker, by node id
     */
    typedef void (*MigrationTracedCallback)(const std::string& kind, uint16_t parent);

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
    void StopApplication() override;

    // From TreeHost
    void Send(MessageHandle handle, NodeId to, uint8_t kind, Bytes body) override;
    void Broadcast(uint8_t kind, const Bytes& body) override;
    void BroadcastHeartbeat(const Bytes& body) override;
    void CloseSession(NodeId neighbour) override;
    void Attached(NodeId parent, std::string_view kind) override;
    void Delivered(const EventPtr& event, NodeId from, uint8_t hops, bool isDuplicate) override;
    EventLog& GetLog() override;
    double GetSpeed() const override;

    void ReceiveFrame(const ns3::Ptr<const ns3::Packet>& frame, double rssiDbm);
    void FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                    uint16_t protocol,
                    ns3::Mac48Address to,
                    uint32_t bytesOnAir);
    void TimerExpired();

    /// After an input.
    void SetTimer();

    NodeId GetId() const;

    RunTrace& m_trace;
    ns3::Ptr<DevicePort> m_device;
    ns3::Ptr<ns3::UniformRandomVariable> m_uniform;
    TreeStation m_station;
    SessionPort m_sessions;
    MachineTimer m_timer;

    ns3::TracedCallback<const Event&> m_publishedTrace;
    ns3::TracedCallback<const Event&, uint16_t, uint8_t, bool> m_deliveredTrace;
    ns3::TracedCallback<const std::string&, uint16_t> m_migratedTrace;
    ns3::TracedCallback<const std::string&, uint16_t, uint32_t> m_frameTrace;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_PUBSUB_NODE_H */

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_PUBSUB_NODE_H
#define MFTPUBSUB_HOSTS_PUBSUB_NODE_H

#include "hosts/radio-host.h"
#include "hosts/session-port.h"
#include "stations/tree-station.h"

#include "ns3/random-variable-stream.h"

#include <optional>
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
class PubSubNode : public RadioHost, private TreeHost
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

    NodeId GetParent() const override;
    NodeId GetLeader() const override;
    uint32_t CountHeldEvents() const override;

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

  private:
    // From RadioHost
    void Start() override;
    void Stop() override;
    void Receive(const Bytes& frame, double rssiDbm) override;
    void Expire() override;
    std::optional<Instant> NextTimer() const override;
    std::string_view NameFrame(const ns3::Ptr<const ns3::Packet>& frame) const override;

    // From TreeHost
    void Send(MessageHandle handle, NodeId to, uint8_t kind, Bytes body) override;
    void Broadcast(uint8_t kind, const Bytes& body) override;
    void BroadcastHeartbeat(const Bytes& body) override;
    void CloseSession(NodeId neighbour) override;
    void Attached(NodeId parent, std::string_view kind) override;
    void Delivered(const EventPtr& event, NodeId from, uint8_t hops, bool isDuplicate) override;
    EventLog& GetLog() override;
    double GetSpeed() const override;

    ns3::Ptr<ns3::UniformRandomVariable> m_uniform;
    TreeStation m_station;
    SessionPort m_sessions;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_PUBSUB_NODE_H */

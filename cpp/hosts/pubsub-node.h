/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_PUBSUB_NODE_H
#define MFTPUBSUB_HOSTS_PUBSUB_NODE_H

#include "overlay/broker-overlay.h"
#include "overlay/client-attachment.h"
#include "overlay/overlay-policies.h"
#include "policies/retry-policy.h"
#include "protocols/broker.h"
#include "protocols/message-codec.h"
#include "protocols/tree/publisher.h"
#include "protocols/tree/subscriber.h"
#include "session/hop-transport.h"
#include "trace/run-trace.h"
#include "wsn/wsn-net-device.h"

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

namespace mftpubsub
{

/// Protocol number of our frames on a NetDevice (IEEE 802 local experimental ethertype 1).
inline constexpr uint16_t PUBSUB_PROTOCOL_NUMBER = 0x88b5;

/// @return what a frame of ours carries, as the trace names it ("HEARTBEAT", "ACK", "PUB", ...)
std::string_view GetFrameKind(ns3::Ptr<const ns3::Packet> frame);

/// Parameters of a PubSubNode.
struct PubSubOptions
{
    NodeId id{NO_NODE};
    uint8_t roles{0}; //!< Roles
    OverlayOptions overlay;
    OverlayPolicies policies;
    TransportOptions transport;
    std::shared_ptr<RetryPolicy> retry;
    std::shared_ptr<FailurePolicy> failure;
    int64_t stream{0};      //!< of this node's random draws
    uint8_t incarnation{0}; //!< how often the node has restarted

    /// What the subscriber had on stable storage when the node crashed: its filters, its timestamps
    /// (brokers take older ones for old news) and what it has seen (ruling 7).
    std::optional<Subscriber> subscriber;

    /// Makes the broker machine of a node with the broker role, which describes itself.
    std::function<std::unique_ptr<Broker>(NodeId, NodeDescriber)> makeBroker;
};

/**
 * A device's part in a publish/subscribe system: hosts the machines of its roles (any combination),
 * the overlay's and the transport's, on a WsnNetDevice, and gives them time and randomness.
 *
 * The roles on one device talk over a local interface that costs no radio message (protocols.md
 * section 1). A device with the broker role serves its own clients; one without is attached to the
 * broker that ClientAttachment finds.
 */
class PubSubNode : public ns3::Application
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
    size_t CountQueuedEvents() const;

    /**
     * The device has crashed: this is over and must not be used any more.
     *
     * @return what the next PubSubOptions on this device need
     */
    std::optional<Subscriber> Crash();

  protected:
    void DoDispose() override;

  private:
    /// A message on its way between two roles of this device.
    struct LocalMessage
    {
        bool toBroker;
        Message message;
    };

    /// A message that the transport is working on.
    struct Unsettled
    {
        Send send;
        uint32_t failures{0}; //!< times that the transport has given it up
    };

    void StartApplication() override;
    void StopApplication() override;

    void ReceiveFrame(const WsnFrame& frame, float rssiDbm);
    void FrameOnAir(ns3::Ptr<const ns3::Packet> frame,
                    uint16_t protocol,
                    ns3::Mac48Address to,
                    uint32_t bytesOnAir);
    void FrameDropped(ns3::Ptr<const ns3::Packet> frame,
                      uint16_t protocol,
                      ns3::Mac48Address to,
                      uint32_t bytesOnAir);
    void ReceiveHeartbeat(NodeId from, const Heartbeat& heartbeat, double rssiDbm);
    void ReceiveMessage(NodeId from, const Message& message);
    void GiveToBroker(NodeId from, const Message& message);
    void NoteFate(const Message& message, LossCause cause) const;
    void MessageSettled(const SettledMessage& settled);
    void DeliveryFailed(const Send& failed, FailureAction action);
    void NoteChild(NodeId from, const Message& message);
    void TimerExpired();

    void AttachClients(NodeId broker);
    void AttachmentChanged(AttachmentChange change);

    void Execute(const OverlayOutput& output);
    void Execute(TransportOutput output);
    void Execute(const BrokerOutput& output);
    void Execute(const SubscriberOutput& output);
    void SendAll(const std::vector<Send>& sends, bool fromBroker);
    void SendOverRadio(const Send& send, uint32_t failures = 0);
    void Broadcast(uint8_t kind, const Bytes& body);
    void SendFrame(NodeId to, const Bytes& frame, uint64_t ticket);
    void RunLocalMessages();
    void Reschedule();

    /// @return this node, for a policy
    NodeView Describe() const;
    void CompleteView(NodeView& me) const;

    PubSubOptions m_options;
    RunTrace& m_trace;
    ns3::Ptr<WsnNetDevice> m_device;
    ns3::Ptr<ns3::UniformRandomVariable> m_uniform;

    HopTransport m_transport;
    std::optional<BrokerOverlay> m_overlay;       //!< with the broker role
    std::unique_ptr<Broker> m_broker;             //!< with the broker role
    std::optional<ClientAttachment> m_attachment; //!< without it
    std::optional<Subscriber> m_subscriber;
    std::optional<Publisher> m_publisher;

    std::unordered_map<MessageHandle, Unsettled> m_unsettled;
    std::unordered_map<uint64_t, uint64_t> m_tickets; //!< packet uid -> transport ticket
    std::deque<LocalMessage> m_local;                 //!< between roles of this device, FIFO
    bool m_runningLocal{false};
    ns3::EventId m_timer;
    Instant m_timerAt{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_PUBSUB_NODE_H */

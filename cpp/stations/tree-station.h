/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_STATIONS_TREE_STATION_H
#define MFTPUBSUB_STATIONS_TREE_STATION_H

#include "content/roles.h"
#include "overlay/client-attachment.h"
#include "session/session.h"
#include "stations/broker-role.h"
#include "stations/client-roles.h"
#include "stations/underway.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mftpubsub
{

/// Parameters of a TreeStation.
struct TreeOptions
{
    NodeId id{NO_NODE};
    uint8_t roles{0}; //!< Roles
    OverlayOptions overlay;
    Policies policies;
    TransportOptions transport; //!< of the sessions that its host has

    /// Clients take what they want of the events that brokers broadcast (mft-pubsub-2). Unless the
    /// transport uses acknowledgements of links, REPs are smaller over links that lose them, and
    /// messages have more attempts: a device that acknowledges has made several attempts itself.
    bool clientsOverhear{false};

    /// What the subscriber had on stable storage when the node crashed: its filters, its timestamps
    /// (brokers take older ones for old news) and what it has seen (ruling 7).
    std::optional<Subscriber> subscriber;

    /// Of kinds of messages of a protocol of one's own.
    std::vector<std::string> ownKinds{};

    /// Makes the broker machine of a node with the broker role, which describes itself and draws.
    std::function<std::unique_ptr<Broker>(NodeId, const UniformSource&, NodeDescriber)> makeBroker;
};

/// What a TreeStation needs of who hosts it: sessions with its neighbours, ears for what happens.
class TreeHost
{
  public:
    virtual ~TreeHost() = default;

    // Sessions (Sessions in cpp/session); what becomes of messages is told to TreeStation::Happened

    virtual void Send(MessageHandle handle, NodeId to, uint8_t kind, Bytes body) = 0;
    virtual void Broadcast(uint8_t kind, const Bytes& body) = 0;
    virtual void BroadcastHeartbeat(const Bytes& body) = 0;
    virtual void CloseSession(NodeId neighbour) = 0;

    /// Roles have attached to @p parent; @p kind: by which message they said so, empty if by none.
    virtual void Attached(NodeId parent, std::string_view kind) = 0;

    /// An event has reached the subscriber on this device.
    virtual void Delivered(const EventPtr& event, NodeId from, uint8_t hops, bool isDuplicate) = 0;

    virtual EventLog& GetLog() = 0;

    /// @return how fast the device moves, m/s
    virtual double GetSpeed() const = 0;
};

/**
 * A device's part in a publish/subscribe system on the elected tree, without I/O: its roles (any
 * combination), who they are attached to, and the messages that are under way.
 *
 * The roles on one device talk over a local interface that costs no radio message (protocols.md
 * section 1). A device with the broker role serves its own clients; one without is attached to the
 * broker that ClientAttachment finds.
 *
 * Time comes with each input; NextTimer may be another one after it.
 */
class TreeStation : private TreeServices
{
  public:
    /// @param uniform for this node's random draws; @param host outlives this
    TreeStation(TreeOptions options, const UniformSource& uniform, TreeHost& host);

    TreeStation(const TreeStation&) = delete; // its roles refer to it
    TreeStation& operator=(const TreeStation&) = delete;

    void Start(Instant now);

    /// The device is off: nothing more is asked.
    void Stop();

    void Publish(Instant now, const EventPtr& event);

    /// May come before the start.
    void Subscribe(Instant now, const Filter& filter);
    void Unsubscribe(Instant now, const Filter& filter);

    /**
     * A broadcast has arrived.
     *
     * @param body of the frame; of a heartbeat what stands behind its notices
     * @throws DecodeError when it is none of ours
     */
    void Hear(Instant now,
              NodeId from,
              uint8_t kind,
              std::span<const uint8_t> body,
              double rssiDbm);

    /// What has become of a message, or of a session.
    void Happened(Instant now, const SessionEvent& event);

    /// The time that NextTimer gave has come.
    void Expire(Instant now);

    std::optional<Instant> NextTimer() const;

    /**
     * The device has crashed: this is over and must not be used any more.
     *
     * @return what the next TreeOptions on this device need
     */
    std::optional<Subscriber> Crash();

    /// @return whether a frame is sent once more (RetryDecision)
    bool Retries(Instant now, NodeId to, uint8_t kind, uint32_t attempts);

    /// Tells the log that @p cause has befallen the events in the broker's queues.
    void NoteQueued(LossCause cause) const;

    /// Tells the log that @p cause has befallen the events that the broker has given to the
    /// transport and that are still there.
    void NoteUnderway(LossCause cause) const;

    // For those who look at it from outside

    /// @return a broker's parent in the tree, another device's broker; NO_NODE if there is none
    NodeId GetParent() const;

    /// @return whom a broker follows (itself if it leads); NO_NODE without the broker role
    NodeId GetLeader() const;

    /// @return the broker's machine; none without the broker role
    const Broker* GetBroker() const;

    /// @return the subscriber; none without its role
    const Subscriber* GetSubscriber() const;

    const TreeOptions& GetOptions() const;

  private:
    /// A message on its way between two roles of this device.
    struct LocalMessage
    {
        bool isToBroker;
        Message message;
    };

    // From TreeServices
    void SendAll(const std::vector<Send>& sends, bool isFromBroker) override;
    void SendAgain(const FailedSend& failed) override;
    void BroadcastHeartbeat(const Heartbeat& heartbeat) override;
    void CloseSession(NodeId neighbour) override;
    void Attached(NodeId parent, std::string_view kind) override;
    void Delivered(const EventPtr& event, NodeId from, uint8_t hops, bool isDuplicate) override;
    EventLog& GetLog() override;

    void MakeBroker(const UniformSource& uniform);

    /**
     * Sends to one neighbour. A replay of more than a frame goes as several, so that what arrives
     * need not be repeated.
     *
     * @param failures times that the transport has given it up before
     */
    void SendMessage(const Send& send, uint32_t failures = 0);

    /// Sends to all in reach what fits into frames.
    void Broadcast(const Message& message);

    /// @return bytes of a message that fits into one frame
    size_t GetRoom() const;

    /// A broadcast that is no heartbeat.
    void HearBroadcast(NodeId from, const Message& message);

    void ReceiveHeartbeat(NodeId from, const Heartbeat& heartbeat, double rssiDbm);
    void ReceiveMessage(NodeId from, const Message& message);
    void MessageDelivered(const DeliveredMessage& delivered);
    void SessionHasEnded(const SessionEnded& ended);
    void AttachmentChanged(AttachmentChange change);
    void RunLocalMessages();

    /// @return this node, for a policy
    NodeView Describe() const;
    void CompleteView(NodeView& me) const;

    TreeOptions m_options;
    TreeHost& m_host;
    std::optional<BrokerRole> m_broker;           //!< with the broker role
    std::optional<ClientAttachment> m_attachment; //!< without it
    ClientRoles m_clients;

    std::deque<LocalMessage> m_local; //!< between roles of this device, FIFO
    Underway m_underway;
    Instant m_now{0}; //!< of the input at hand
    bool m_isOn{false};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_STATIONS_TREE_STATION_H */

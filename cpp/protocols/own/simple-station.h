/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_OWN_SIMPLE_STATION_H
#define MFTPUBSUB_PROTOCOLS_OWN_SIMPLE_STATION_H

#include "protocols/mesh/frame-sender.h"
#include "protocols/own/own-protocols.h"
#include "protocols/own/station-timers.h"

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mftpubsub::mesh
{

/// A message of a protocol of one's own: its kind, whom it is meant for, its encoding.
struct OwnMessage
{
    uint8_t kind{0};
    NodeId to{NO_NODE}; //!< NO_NODE: everybody
    Bytes body;
    std::vector<EventId> events; //!< that it carries, for those who watch
};

/**
 * What protocols of one's own have in common on a broadcast channel: timers, a queue of messages of
 * which one at a time is in the MAC, the subscriber's filters, and the events that it has seen.
 *
 * A frame is kind (1 B), source (2 B), to (2 B), then the message. Everybody near hears it. A
 * protocol overrides the methods that begin with On, and calls the others.
 */
class SimpleStation : public Station
{
  public:
    /// @param kinds names of the kinds of frames, as traces have them ("PUB")
    /// @throws std::invalid_argument for a name that is no word, or there twice
    SimpleStation(StationSeat seat, std::vector<std::string> kinds);

    std::vector<Pair> GetHeld() const override;
    std::optional<SubscriberMemory> GetMemory() const override;

    static constexpr size_t HEADER_BYTES = 5;

  protected:
    // What happens: for a protocol to override

    virtual void OnStart() = 0;
    virtual void OnPublish(const EventPtr& event) = 0;
    virtual void OnReceive(const OwnMessage& message, NodeId sender, double rssiDbm) = 0;

    virtual void OnTimer(uint64_t)
    {
    }

    /// A message for somebody else was heard.
    virtual void OnOverhear(const OwnMessage&, NodeId, double)
    {
    }

    /// The subscriber's filters change; those that it has at the start come after OnStart.
    virtual void OnSubscribed(const Filter&)
    {
    }

    virtual void OnUnsubscribed(const Filter&)
    {
    }

    /// The MAC has given a message up.
    virtual void OnDropped(const OwnMessage&)
    {
    }

    /// @return what to send now that the channel is free and nothing is queued, if anything
    virtual std::optional<OwnMessage> NextMessage()
    {
        return {};
    }

    // What it does. In a constructor Deliver, DeliverCopy, Take, Match, GiveUp and SetTimer throw
    // std::logic_error: the device has not started.

    /**
     * Queues a message. @throws std::out_of_range if it is for a node that does not exist
     *
     * When its turn comes: @throws std::length_error if it does not fit into a frame,
     * std::out_of_range if its kind is none of the station's
     */
    void Broadcast(OwnMessage message);

    /**
     * The subscriber here has heard an event, from @p sender after @p hops: if a filter matches it
     * gets the event, unless it has had it. A broker here takes the event.
     *
     * @throws std::invalid_argument if there is no event
     */
    void Deliver(const EventPtr& event, NodeId sender, uint8_t hops);

    /// Another copy of an event, that was given to Deliver before.
    void DeliverCopy(EventId event, NodeId sender, uint8_t hops);

    /// A broker has got an event that it had not had.
    void Take(EventId event);

    /// This node knows that @p subscriber wants @p event.
    void Match(EventId event, NodeId subscriber);

    /// This node keeps @p event for @p subscriber, until it gives it up.
    void Hold(EventId event, NodeId subscriber);
    void GiveUp(EventId event, NodeId subscriber);

    /// OnTimer(@p key) follows after @p after, or never; a timer of that key that was set before
    /// moves.
    void SetTimer(uint64_t key, Instant after);
    void CancelTimer(uint64_t key);

    Instant Now() const
    {
        return m_now;
    }

    NodeId GetId() const
    {
        return m_seat.self;
    }

    bool Has(Role role) const
    {
        return m_seat.roles & role;
    }

    double Draw() const
    {
        return m_seat.uniform();
    }

    /// @return where the device is just now; none where nobody knows, as live
    std::optional<Position> GetPosition() const
    {
        return m_seat.position ? m_seat.position() : std::nullopt;
    }

    double GetLoad() const
    {
        return m_sender.GetLoad();
    }

    /// @return how many bytes a message may have
    size_t GetMaxBytes() const
    {
        return m_seat.options.maxFrameBytes - HEADER_BYTES;
    }

    /// @return the parameter @p name of the scenario, or @p otherwise if it has none
    /// @throws std::invalid_argument if it is no number
    double GetParameter(const std::string& name, double otherwise) const;

    const StationSeat& GetSeat() const
    {
        return m_seat;
    }

  private:
    void Start(Instant now, Output& output) override;
    void Receive(Instant now,
                 std::span<const uint8_t> frame,
                 double rssiDbm,
                 Output& output) override;
    void Transmitted(Instant now, Instant airTime, Output& output) override;
    void Dropped(Instant now, Output& output) override;
    void Publish(Instant now, const EventPtr& event, Output& output) override;
    void Subscribe(Instant now, const Filter& filter, Output& output) override;
    void Unsubscribe(Instant now, const Filter& filter, Output& output) override;
    void Expire(Instant now, Output& output) override;
    Instant NextDue() const override;

    /// Does @p act, whose effects go to @p output, and then sends what may be sent.
    template <typename Act>
    void Do(Instant now, Output& output, Act act);
    void Speak();
    void Send(OwnMessage message);
    void CheckAddressee(NodeId to) const;
    /// @param who asks for it, for the error
    Output& GetOutput(const char* who) const;

    StationSeat m_seat;
    std::vector<std::string> m_kinds;
    FrameSender m_sender;
    StationTimers m_timers;
    std::deque<OwnMessage> m_queue;
    OwnMessage m_inMac;
    bool m_mayHaveMore{false}; //!< NextMessage has not said no since something happened
    bool m_hasStarted{false};
    bool m_isAddressed{false};     //!< the message at hand is for this device alone
    std::vector<EventPtr> m_early; //!< published before the start
    std::set<std::pair<EventId, NodeId>> m_held;
    Instant m_now{0};
    Output* m_output{nullptr}; //!< of the input at hand
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_OWN_SIMPLE_STATION_H */

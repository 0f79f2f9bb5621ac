/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_BROKER_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_BROKER_H

#include "content/matcher.h"
#include "protocols/handoff/event-buffer.h"
#include "protocols/handoff/messages.h"
#include "protocols/machine.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace mftpubsub::handoff
{

using Instant = std::chrono::nanoseconds;

class Tree;

/// What a broker of any scheme is made with.
struct Options
{
    uint64_t queueBytes{1 << 20}; //!< bound of each buffer, bytes (G table 1)

    // reactive
    bool mergeDuplicates{false}; //!< remove what two brokers stored (R6)
    bool home{false}; //!< a subscriber's first broker stores whenever it is away (Burcea et al.)

    // pro-active
    bool completionMark{true};             //!< FORWARD always, MOVED says need (R14)
    bool literalEdgeRefresh{false};        //!< MOVED does not refresh an edge (R8)
    std::optional<Instant> edgeAge;        //!< Psi: older edges go (R9)
    std::optional<Instant> contextTimeout; //!< case 8 (R19)
    std::vector<NodeId> neighbours;        //!< NT at the start

    // related work
    std::shared_ptr<const Tree> tree;               //!< of those schemes that route
    bool implicitMoveOut{false};                    //!< JEDI, SIENA: a lost link counts as MOVEOUT
    std::optional<Instant> sessionExpiry;           //!< mqtt-session: of those whose client is away
    Instant eventExpiry{std::chrono::seconds(600)}; //!< ELVIN: how long the proxy keeps an event

    /// Who wants an event, ascending, where that is drawn and not written as filters.
    std::function<const std::vector<NodeId>&(const Event&)> audience;
};

/// A message for another broker.
struct Send
{
    NodeId to{NO_NODE};
    Message message;
};

/// An event for a subscriber that is connected here.
struct Delivery
{
    NodeId subscriber{NO_NODE};
    Held held;
};

/// A connection that a broker has accepted (CONNACK).
struct Accepted
{
    NodeId subscriber{NO_NODE};
    Session session{0};
};

/// What a broker answers to one input, to be carried out in order: deliveries and sends do not
/// overtake each other on any one way.
struct Output
{
    std::vector<Send> sends;
    std::vector<Delivery> deliveries;
    std::vector<Accepted> accepted; //!< by schemes whose clients wait for it
    uint32_t stored{0};             //!< copies that this input put into buffers

    void Clear();
};

/// A copy of a subscription, for those who look at it from outside.
struct CopyView
{
    NodeId subscriber{NO_NODE};
    std::string state; //!< as in handoff.md: STORING, SERVING, ACTIVE, ...
    NodeId control{NO_NODE};
    std::vector<NodeId> awaits;
    std::vector<NodeId> hops; //!< where events go on to, in schemes that route
    bool hold{false};
    std::vector<EventId> buffer;
    std::vector<EventId> temp;
};

/// The family of hand-off schemes (G, and what it is compared with). A client that is seen to have
/// gone is a link that is down.
struct HandoffFamily
{
    using Input = std::variant<input::Received<Message>, input::LinkDown, input::Expired>;
    using Output = handoff::Output;
};

/**
 * A broker's side of a hand-off scheme (handoff.md sections 1, 4).
 *
 * Events are flooded to every broker by its host; a broker matches them against its own table only.
 */
class Broker : public Machine<HandoffFamily>
{
  public:
    void Step(Instant now, const Input& input, Output& output) final;
    Description Describe(const Namer& name) const override;
    std::vector<Pair> GetHeld() const override;

    /// @return the copies here, by ascending subscriber
    virtual std::vector<CopyView> GetCopies() const = 0;

  protected:
    // The inputs, one each

    /// @p message is from a broker or from a client of this broker.
    virtual void Receive(Instant now, NodeId from, const Message& message, Output& output) = 0;

    virtual void LinkDown(Instant now, NodeId client, Output& output) = 0;
    virtual void Expire(Instant now, Output& output);
};

/// What a copy of a subscription has in every scheme.
struct Copy
{
    explicit Copy(const Options& options);

    std::vector<Filter> filters;
    EventBuffer buffer;              //!< what waits for the subscriber (buf)
    EventBuffer temp;                //!< live events, while older ones are awaited
    std::deque<Held> unacknowledged; //!< sent over the present connection (handoff.md 4.2)
};

/// The subscriptions at one broker (ST), and which of them an event matches.
template <typename T>
class CopyTable
{
  public:
    /// @return the copy of @p subscriber, or nullptr
    T* Find(NodeId subscriber)
    {
        const auto found = m_copies.find(subscriber);
        return found == m_copies.end() ? nullptr : &found->second;
    }

    /// @return the copy of @p subscriber, made now if there was none
    T& Touch(NodeId subscriber, const Options& options)
    {
        return m_copies.try_emplace(subscriber, options).first->second;
    }

    void SetFilters(NodeId subscriber, const std::vector<Filter>& filters)
    {
        auto& copy = m_copies.at(subscriber);
        for (const auto& filter : copy.filters)
        {
            m_matcher.Remove(subscriber, filter);
        }
        for (const auto& filter : filters)
        {
            m_matcher.Insert(subscriber, filter);
        }
        copy.filters = filters;
    }

    void Erase(NodeId subscriber)
    {
        if (m_copies.contains(subscriber))
        {
            SetFilters(subscriber, {});
            m_copies.erase(subscriber);
        }
    }

    /// Calls @p visit(subscriber, copy) for every copy that @p event matches, by ascending
    /// subscriber.
    template <typename Visit>
    void Match(const Event& event, const Options& options, Visit visit)
    {
        const auto& wanting = options.audience ? options.audience(event) : m_matcher.Match(event);
        for (const auto subscriber : wanting)
        {
            if (auto* copy = Find(subscriber))
            {
                visit(subscriber, *copy);
            }
        }
    }

    /// @return who has a copy here, ascending
    std::vector<NodeId> GetSubscribers() const
    {
        std::vector<NodeId> subscribers;
        for (const auto& [subscriber, copy] : m_copies)
        {
            subscribers.push_back(subscriber);
        }
        std::sort(subscribers.begin(), subscribers.end());
        return subscribers;
    }

    const T& Get(NodeId subscriber) const
    {
        return m_copies.at(subscriber);
    }

    /// @return the events in all buffers
    size_t CountHeld() const
    {
        size_t held = 0;
        for (const auto& [subscriber, copy] : m_copies)
        {
            held += copy.buffer.GetEvents().size() + copy.temp.GetEvents().size();
        }
        return held;
    }

  private:
    std::unordered_map<NodeId, T> m_copies;
    Matcher m_matcher;
};

/// Sends @p held to @p subscriber, who is connected; it may come back unacknowledged.
void Deliver(NodeId subscriber, Copy& copy, const Held& held, Output& output);

/// Puts @p held into @p buffer.
void Store(EventBuffer& buffer, const Held& held, Output& output);

/**
 * The client has consumed @p id, and so whatever was sent before it over the present connection,
 * which keeps the order of sending: an acknowledgement speaks for every publisher.
 *
 * @param sent over that connection and unacknowledged, oldest first; what is acknowledged leaves it
 * @return what is acknowledged; nothing if @p id is not in @p sent
 */
std::vector<Held> Acknowledge(std::deque<Held>& sent, EventId id);

/// The client is gone: what it has not acknowledged waits again.
void ReturnUnacknowledged(Copy& copy);

/// @return ids of what @p buffer holds
std::vector<EventId> GetIds(const EventBuffer& buffer);

/// Calls Handle of @p machine with the message that @p message holds, if it handles its kind.
template <typename Machine>
void
Dispatch(Machine& machine, Instant now, NodeId from, const Message& message, Output& output)
{
    std::visit(
        [&](const auto& m) {
            if constexpr (requires { machine.Handle(now, from, m, output); })
            {
                machine.Handle(now, from, m, output);
            }
        },
        message);
}

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_BROKER_H */

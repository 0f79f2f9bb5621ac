/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_MESSAGES_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_MESSAGES_H

#include "protocols/handoff/related-messages.h"

#include <optional>
#include <utility>

namespace mftpubsub::handoff
{

/// Subscriber to broker.
struct Sub
{
    static constexpr std::string_view NAME = "SUB";
    NodeId subscriber{NO_NODE};
    Filter filter;
    NodeId user{NO_NODE}; //!< ELVIN: whose client it is, named by another of them; else its own
};

/// Subscriber to broker: it leaves for good.
struct Uns
{
    static constexpr std::string_view NAME = "UNS";
    NodeId subscriber{NO_NODE};
};

/// A subscriber is here, after `old`.
struct Reconnect
{
    static constexpr std::string_view NAME = "RECONNECT";
    NodeId subscriber{NO_NODE};
    NodeId old{NO_NODE};
    Consumed last;
    Session session{0};
    std::vector<Filter> filters; //!< where no other broker could tell them: durable, MQTT
    uint32_t lastReceived{0};    //!< Phoenix: timestamp of the last event from the broker before
};

/// The event that a subscriber has consumed last over this connection; it has consumed those that
/// were sent before it too, whoever published them.
struct Evack
{
    static constexpr std::string_view NAME = "EVACK";
    NodeId subscriber{NO_NODE};
    EventId id;
};

/// An event; between brokers, and from a broker to a subscriber.
struct Pub
{
    static constexpr std::string_view NAME = "PUB";
    EventPtr event;
    /// Between brokers that route: for whom, ascending. A broker that forwards an event for one
    /// subscriber may have stored it for another who is moving: it is not for that one.
    std::optional<std::vector<NodeId>> subscribers{};
};

/// Asks the old broker for the filters (reactive; pro-active without a copy).
struct Fetch
{
    static constexpr std::string_view NAME = "FETCH";
    NodeId subscriber{NO_NODE};
    std::optional<Session> session;
};

/// Filters of a subscriber: answer to FETCH, or (pro-active) a copy for a neighbour.
struct Subs
{
    static constexpr std::string_view NAME = "SUBS";

    enum class Mode : uint8_t
    {
        PLAIN, //!< reactive
        PASSIVE,
        ACTIVE
    };
    NodeId subscriber{NO_NODE};
    std::optional<Session> session;
    std::vector<Filter> filters;
    Mode mode{Mode::PLAIN};
};

/// The new broker has the filters: the old one may stop, and send what it has.
struct Remove
{
    static constexpr std::string_view NAME = "REMOVE";
    NodeId subscriber{NO_NODE};
    std::optional<Session> session;
    std::optional<Neighbours> neighbours; //!< pro-active
    Consumed last;                        //!< pro-active
};

/// The events of a subscriber; ends a reactive exchange, also when empty.
struct Transfer
{
    static constexpr std::string_view NAME = "TRANSFER";
    NodeId subscriber{NO_NODE};
    std::optional<Session> session;
    std::vector<Held> events;
    std::optional<Neighbours> neighbours; //!< pro-active
    bool isObsolete{false}; //!< pro-active-r, reactive-home: the subscriber has moved on since
};

/// Store for me from now on (case 2). The sender takes control of the copy.
struct Activate
{
    static constexpr std::string_view NAME = "ACTIVATE";
    NodeId subscriber{NO_NODE};
    std::optional<Session> session; //!< pro-active-r
    Consumed last;
};

/// Answer to ACTIVATE and CONTEXT: stored from now on.
struct Ack
{
    static constexpr std::string_view NAME = "ACK";
    NodeId subscriber{NO_NODE};
    std::optional<Session> session; //!< pro-active-r
};

/// Answer to ACTIVATE: there is no copy here.
struct Nack
{
    static constexpr std::string_view NAME = "NACK";
    NodeId subscriber{NO_NODE};
    std::optional<Session> session; //!< pro-active-r
};

/// What came before the activation was acknowledged; marks the copy complete, also when empty
/// (R14).
struct Forward
{
    static constexpr std::string_view NAME = "FORWARD";
    NodeId subscriber{NO_NODE};
    std::optional<Session> session; //!< pro-active-r
    std::vector<Held> events;
};

/// Filters and events, for a neighbour that had no copy.
struct Context
{
    static constexpr std::string_view NAME = "CONTEXT";
    NodeId subscriber{NO_NODE};
    std::optional<Session> session; //!< pro-active-r
    std::vector<Filter> filters;
    Consumed last;
    std::vector<Held> events;
};

/// Stop storing, keep the filters (cases 3, 4).
struct Deactivate
{
    static constexpr std::string_view NAME = "DEACTIVATE";
    NodeId subscriber{NO_NODE};
    std::optional<Session> session; //!< pro-active-r
};

/// Drop the copy.
struct Delete
{
    static constexpr std::string_view NAME = "DELETE";

    enum class Why : uint8_t
    {
        MOVED,
        UNSUBSCRIBE,
        TIMEOUT,
        EDGE
    };
    NodeId subscriber{NO_NODE};
    std::optional<Session> session; //!< pro-active-r
    Why why{Why::MOVED};
};

/// The subscriber is here now (case 4).
struct Moved
{
    static constexpr std::string_view NAME = "MOVED";
    NodeId subscriber{NO_NODE};
    std::optional<Session> session; //!< pro-active-r
    Neighbours neighbours;
    bool need{false}; //!< the new broker's copy is not complete: it needs the old one's events
    Consumed last;
};

/// Answer to MOVED.
struct MovedAck
{
    static constexpr std::string_view NAME = "MOVED_ACK";
    NodeId subscriber{NO_NODE};
    std::optional<Session> session; //!< pro-active-r
    Neighbours neighbours;
    std::vector<Held> events;
    bool isObsolete{false}; //!< pro-active-r: the sender has handed over to a later session
};

/// The sender's neighbours have changed.
struct Nbr
{
    static constexpr std::string_view NAME = "NBR";
    Neighbours neighbours;
};

/// Every message of G's three schemes (handoff.md section 3; PING and PONG are the host's).
using GaddahMessage = std::variant<Sub,
                                   Uns,
                                   Reconnect,
                                   Evack,
                                   Pub,
                                   Fetch,
                                   Subs,
                                   Remove,
                                   Transfer,
                                   Activate,
                                   Ack,
                                   Nack,
                                   Forward,
                                   Context,
                                   Deactivate,
                                   Delete,
                                   Moved,
                                   MovedAck,
                                   Nbr>;

/// Both lists of kinds as one.
template <typename... One, typename... Other>
std::variant<One..., Other...> Join(std::variant<One...>, std::variant<Other...>);

/// Every message of the schemes.
using Message = decltype(Join(std::declval<GaddahMessage>(), std::declval<RelatedMessage>()));

/// @return the message's name ("MOVED_ACK")
std::string_view GetName(const Message& message);

/// @return how many events @p message carries
size_t CountEvents(const Message& message);

/// @return whether @p message carries stored events, or tells their end: it stays behind those
/// before it, and need not be as fast as the rest
bool IsBulk(const Message& message);

/// @return id, attributes and payload of @p event, bytes
uint64_t GetSize(const Event& event);

/// @return size of @p message, bytes (handoff.md section 3)
uint64_t GetSize(const Message& message);

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_MESSAGES_H */

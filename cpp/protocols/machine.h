/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MACHINE_H
#define MFTPUBSUB_PROTOCOLS_MACHINE_H

#include "content/event.h"
#include "content/instant.h"
#include "content/node-id.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mftpubsub
{

/// An event, for a subscriber.
struct Pair
{
    EventId event;
    NodeId subscriber{NO_NODE};
};

/// The name of a node, in what people read.
using Namer = std::function<std::string(NodeId)>;

/// What a machine knows and holds: a text for each name of whom that is for.
using Description = std::map<std::string, std::string>;

/// Inputs that more than one family has. An input lasts as long as its call: it refers to its
/// message.
namespace input
{

/// There is a link to @c neighbour from now on.
struct LinkUp
{
    NodeId neighbour{NO_NODE};
};

/// The link to @c neighbour, or a client, is gone.
struct LinkDown
{
    NodeId neighbour{NO_NODE};
};

/// A message arrived.
template <typename Message>
struct Received
{
    NodeId from{NO_NODE};
    const Message& message;
};

/// The time that NextTimer gave has come.
struct Expired
{
};

} // namespace input

/// Calls that of @c Handlers which takes the alternative at hand (std::visit).
template <typename... Handlers>
struct Overloaded : Handlers...
{
    using Handlers::operator()...;
};

template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

/**
 * A node's part in a protocol, as a state machine without I/O: one input at a time, and an output
 * that its host carries out in order.
 *
 * Time comes with every input and never goes back. A machine has no clock, no thread and no
 * randomness but what it was made with: the same inputs give the same outputs.
 *
 * @tparam Family has Input, a std::variant of what its machines are told, and Output, what they
 *                answer
 */
template <typename Family>
class Machine
{
  public:
    using Input = typename Family::Input;
    using Output = typename Family::Output;

    Machine() = default;
    virtual ~Machine() = default;

    Machine& operator=(const Machine&) = delete;

    /// Takes @p input. @param output is added to
    virtual void Step(Instant now, const Input& input, Output& output) = 0;

    /// @return when the machine wants to be told input::Expired, if ever
    virtual std::optional<Instant> NextTimer() const
    {
        return std::nullopt;
    }

    /// @return what the machine knows and holds, for people
    virtual Description Describe(const Namer& name) const = 0;

    /// @return the events that wait here, each with the subscriber that it waits for
    virtual std::vector<Pair> GetHeld() const
    {
        return {};
    }

    /// @return how many events it keeps; one that is kept once for several subscribers counts once
    virtual size_t CountHeld() const
    {
        return GetHeld().size();
    }

  protected:
    Machine(const Machine&) = default;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_MACHINE_H */

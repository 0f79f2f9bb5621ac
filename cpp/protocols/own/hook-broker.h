/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Brokers that are written in Python, as a C function.
 */
#ifndef MFTPUBSUB_PROTOCOLS_OWN_HOOK_BROKER_H
#define MFTPUBSUB_PROTOCOLS_OWN_HOOK_BROKER_H

#include "protocols/tree/broker.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// The name in scenarios of protocols whose brokers are written in Python.
inline constexpr std::string_view PYTHON_BROKERS = "python-brokers";

/// A broker's hook did not answer: the run ends here. Python knows why.
class BrokerFailure : public std::runtime_error
{
  public:
    BrokerFailure();
};

/// What is asked of a hook. Python reads these numbers (protocols/broker_seat.py).
enum class BrokerInput : uint32_t
{
    START,          //!< node (2 B), what it had on stable storage (8 B)
    LINK_UP,        //!< neighbour (2 B)
    LINK_DOWN,      //!< neighbour or client (2 B)
    LINK_RESET,     //!< neighbour (2 B)
    PARENT_CHANGED, //!< the one before (2 B), the present one (2 B)
    ALIVE,          //!< neighbour (2 B)
    EXPIRED,        //!< all that are due: nothing; one alone: its text
    RECEIVE,        //!< sender (2 B), kind (1 B), message
    FAILED,         //!< to (2 B), kind (1 B), message
    UNDELIVERED,    //!< client (2 B), event
    ATTACHED,       //!< client (2 B)
    MIGRATED,       //!< client (2 B), its broker before (2 B)
    SUBSCRIBED,     //!< client (2 B), filter
    UNSUBSCRIBED,   //!< client (2 B), filter
    PUBLISHED,      //!< publisher (2 B), event
    TABLE,          //!< nothing
    QUEUES,         //!< nothing
    CARRIED,        //!< kind (1 B), message
    WORDS,          //!< whether as JSON (1 B), kind (1 B), message
};

/// What the class of brokers has.
enum BrokerWish : uint8_t
{
    WANTS_ALIVE = 1,
    HAS_TABLE = 2,
    HAS_QUEUES = 4,
};

/// An effect begins with one of these.
enum class BrokerEffect : uint8_t
{
    SEND,    //!< kind (1 B), to (2 B), events (1 B, 6 B each), size (2 B), message
    DELIVER, //!< client (2 B), hops (1 B), size (2 B), event
    FILTERS, //!< client (2 B), how many (1 B), filters
    MATCH,   //!< event id (6 B), subscriber (2 B)
    HOLD,    //!< event id, subscriber
    GIVE_UP, //!< event id, subscriber
    NOTE,    //!< text
};

/**
 * The hooks of a run or a laboratory. Numbers are big endian.
 *
 * @c call takes what is asked of which broker, at how many nanoseconds, and how many bytes of @c
 * input belong to it. It answers 0 when it has failed, as ctypes answers for a Python function that
 * raises, else one more than the bytes of @c effects that it has written. Of inputs these are the
 * broker's state from now on (8 B), when its timers are due (8 B, negative: never), what it has on
 * stable storage (8 B), and effects.
 *
 * A state is a number that means the same for as long as the hooks live. In a laboratory equal
 * states have one number; so whoever copies a broker copies a number.
 */
struct BrokerHooks
{
    int64_t (*call)(uint32_t what, uint64_t state, int64_t nanoseconds, uint64_t bytes);
    uint8_t* input{nullptr};
    const uint8_t* effects{nullptr};
    uint64_t capacity{0};       //!< of either
    const char* kinds{nullptr}; //!< names of the kinds of messages, a space between
    uint8_t wishes{0};          //!< BrokerWish
};

/// @return which events a message carries that is no more than bytes
std::vector<EventId> AskCarried(const BrokerHooks& hooks, const Own& message);

/// A broker that asks a hook.
class HookBroker : public Broker
{
  public:
    /// @param hooks that outlive this broker
    /// @param memory what the broker had on stable storage that was here before, 0: nothing
    HookBroker(NodeId self, const BrokerHooks& hooks, Instant now, uint64_t memory = 0);

    std::unique_ptr<Broker> Clone() const override;
    std::optional<Instant> NextTimer() const override;
    std::vector<RouteView> GetTable() const override;
    bool HasTable() const override;
    std::vector<QueueView> GetQueues() const override;
    size_t CountHeld() const override;
    uint64_t GetMemory() const override;
    uint64_t GetState() const override;

    /// One timer expires before or after its time, as laboratories may have it.
    /// @param timer its text
    void ExpireTimer(Instant now, const std::string& timer, BrokerOutput& output);

    /// @return its state's number: no equal state has another
    std::string GetDigest() const override;

  protected:
    void LinkUp(Instant now, NodeId neighbour, BrokerOutput& output) override;
    void LinkDown(Instant now, NodeId neighbour, BrokerOutput& output) override;
    void LinkReset(Instant now, NodeId neighbour, BrokerOutput& output) override;
    void ParentChanged(Instant now, NodeId previous, NodeId current, BrokerOutput& output) override;
    void Receive(Instant now, NodeId from, const Message& message, BrokerOutput& output) override;
    void DeliveryFailed(Instant now,
                        NodeId to,
                        const Message& message,
                        BrokerOutput& output) override;
    void NeighbourAlive(Instant now, NodeId neighbour, BrokerOutput& output) override;
    void Expire(Instant now, BrokerOutput& output) override;

  private:
    void Tell(BrokerInput what, Instant now, const Bytes& input, BrokerOutput& output);
    void Execute(BrokerEffect effect, ByteReader& in, BrokerOutput& output);
    void Deliver(ByteReader& in, BrokerOutput& output);
    Own ReadOwn(ByteReader& in) const;

    const BrokerHooks* m_hooks;
    std::shared_ptr<const OwnFormat> m_format;
    uint64_t m_state{0};
    uint64_t m_memory{0};
    int64_t m_due{-1}; //!< ns; negative: never
    Instant m_now{0};  //!< of the last input
    NodeId m_parent{NO_NODE};
    std::set<std::pair<EventId, NodeId>> m_held;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_OWN_HOOK_BROKER_H */

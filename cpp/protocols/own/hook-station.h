/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Protocols that are written in Python, as a C function.
 */
#ifndef MFTPUBSUB_PROTOCOLS_OWN_HOOK_STATION_H
#define MFTPUBSUB_PROTOCOLS_OWN_HOOK_STATION_H

#include "protocols/own/simple-station.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace mftpubsub::mesh
{

/// The name of all of these.
inline constexpr std::string_view PYTHON_PROTOCOL = "python";

/// A station's hook did not answer: the run ends here. Python knows why.
class StationFailure : public std::runtime_error
{
  public:
    StationFailure();
};

/// What is asked of a hook. Python reads these numbers (protocols/host.py).
enum class StationInput : uint32_t
{
    START,        //!< roles (1 B), seed (8 B), largest message (2 B), nodes (2 B)
    PUBLISH,      //!< an event
    RECEIVE,      //!< a frame
    OVERHEAR,     //!< a frame for somebody else
    TIMER,        //!< key (8 B)
    SUBSCRIBED,   //!< a filter
    UNSUBSCRIBED, //!< a filter
    DROPPED,      //!< a frame
    NEXT,         //!< nothing
};

/// What a hook answers beside its effects, to START.
enum StationWish : uint8_t
{
    WANTS_OVERHEARD = 1,
    WANTS_DROPPED = 2,
    WANTS_NEXT = 4,
};

/// An effect begins with one of these.
enum class StationEffect : uint8_t
{
    WISHES,  //!< StationWish (1 B)
    SEND,    //!< kind (1 B), to (2 B), events (1 B, 6 B each), size (2 B), message
    DELIVER, //!< sender (2 B), hops (1 B), size (2 B), event
    COPY,    //!< event id (6 B), sender (2 B), hops (1 B)
    TAKE,    //!< event id
    MATCH,   //!< event id, subscriber (2 B)
    HOLD,    //!< event id, subscriber
    GIVE_UP, //!< event id, subscriber
    SET,     //!< key (8 B), after in ns (8 B)
    CANCEL,  //!< key
};

/// What a hook may look up of the node that is asked, as long as it is asked.
struct StationView
{
    double load{1};
    const void* station{nullptr}; //!< for @c locate; null: no node is asked
    /// Writes x, y and z, m. @return whether anybody knows where the @c station is
    bool (*locate)(const void* station, double* position){nullptr};
};

/**
 * The hooks of a run. Numbers are big endian.
 *
 * @c call takes what is asked of which node, at how many nanoseconds, and how many bytes of @c
 * input belong to it; it answers 0 when it has failed, as ctypes answers for a Python function that
 * raises, else one more than the bytes of @c effects that it has written.
 */
struct StationHooks
{
    int64_t (*call)(uint32_t what, uint32_t node, int64_t nanoseconds, uint64_t bytes, double rssi);
    uint8_t* input{nullptr};
    const uint8_t* effects{nullptr};
    uint64_t capacity{0};       //!< of either
    StationView* view{nullptr}; //!< of the node that is asked
    const char* kinds{nullptr}; //!< names of the kinds of frames, a space between
};

/// A station that asks a hook.
class HookStation : public SimpleStation
{
  public:
    HookStation(StationSeat seat, const StationHooks& hooks);

  private:
    void OnStart() override;
    void OnPublish(const EventPtr& event) override;
    void OnReceive(const OwnMessage& message, NodeId sender, double rssiDbm) override;
    void OnOverhear(const OwnMessage& message, NodeId sender, double rssiDbm) override;
    void OnTimer(uint64_t key) override;
    void OnSubscribed(const Filter& filter) override;
    void OnUnsubscribed(const Filter& filter) override;
    void OnDropped(const OwnMessage& message) override;
    std::optional<OwnMessage> NextMessage() override;

    static bool Locate(const void* station, double* position);
    void Call(StationInput what, const Bytes& input, double rssiDbm = 0);
    void CallWithFrame(StationInput what, const OwnMessage& message, NodeId sender, double rssiDbm);
    void CallWithFilter(StationInput what, const Filter& filter);
    void Execute(StationEffect effect, ByteReader& in);
    void ExecuteSend(ByteReader& in);

    const StationHooks& m_hooks;
    uint8_t m_wishes{0};
    bool m_isAskedForNext{false};
    std::optional<OwnMessage> m_next; //!< the first of what NEXT has answered; others are queued
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_OWN_HOOK_STATION_H */

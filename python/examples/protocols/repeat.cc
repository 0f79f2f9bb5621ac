// SPDX-License-Identifier: GPL-2.0-only
//
// A full station, without the queue, timers and filters of SimpleStation: every device says each
// event once more. A frame is its sender (2 B), hops (1 B), and the event.
#include "content/content-codec.h"
#include "protocols/own/own-protocols.h"

#include <deque>
#include <set>
#include <utility>

using namespace mftpubsub;
using namespace mftpubsub::mesh;

class Repeat : public Station
{
  public:
    explicit Repeat(StationSeat seat)
        : m_seat(std::move(seat))
    {
    }

    std::optional<SubscriberMemory> GetMemory() const override
    {
        return m_seat.memory;
    }

  private:
    void Start(Instant, Output& output) override
    {
        m_isOn = true;
        Speak(output);
    }

    void Receive(Instant, std::span<const uint8_t> frame, double, Output& output) override
    {
        ByteReader in(frame);
        const auto sender = in.Get<NodeId>();
        const auto hops = in.Get<uint8_t>();
        TakeCopy(ReadEvent(in), sender, hops, output);
    }

    void Transmitted(Instant, Instant, Output& output) override
    {
        m_isInMac = false;
        Speak(output);
    }

    void Dropped(Instant now, Output& output) override
    {
        Transmitted(now, Instant{0}, output);
    }

    void Publish(Instant, const EventPtr& event, Output& output) override
    {
        TakeCopy(event, m_seat.self, 0, output);
    }

    void Subscribe(Instant now, const Filter& filter, Output&) override
    {
        m_seat.memory.filters.emplace(filter, now);
    }

    void Unsubscribe(Instant, const Filter& filter, Output&) override
    {
        m_seat.memory.filters.erase(filter);
    }

    void Expire(Instant, Output&) override
    {
    }

    Instant NextDue() const override
    {
        return NEVER;
    }

    void TakeCopy(const EventPtr& event, NodeId sender, uint8_t hops, Output& output)
    {
        auto& memory = m_seat.memory;
        const auto matches = [&](const auto& entry) { return entry.first.Matches(*event); };
        if (std::ranges::any_of(memory.filters, matches))
        {
            const auto isNew = memory.done.Add(event->id);
            output.deliveries.push_back({event->id, sender, hops, isNew, isNew ? event : nullptr});
            if (isNew)
            {
                output.matches.push_back({event->id, m_seat.self});
            }
        }
        if (m_seen.insert(event->id).second)
        {
            m_queue.emplace_back(event, static_cast<uint8_t>(hops + 1));
            Speak(output);
        }
    }

    /// Gives the MAC the next frame, unless it has one: Transmitted or Dropped follows.
    void Speak(Output& output)
    {
        if (!m_isOn || m_isInMac || m_queue.empty())
        {
            return;
        }
        const auto [event, hops] = m_queue.front();
        m_queue.pop_front();
        ByteWriter frame;
        frame.Put(m_seat.self);
        frame.Put(hops);
        WriteEvent(frame, *event);
        output.frame = mftpubsub::mesh::OutgoingFrame{"PUB", frame.Take(), {event->id}};
        m_isInMac = true;
    }

    StationSeat m_seat;
    std::set<mftpubsub::EventId> m_seen;
    std::deque<std::pair<EventPtr, uint8_t>> m_queue; //!< with the hops that it is said with
    bool m_isOn{false};
    bool m_isInMac{false};
};

const bool REGISTERED = Register<Repeat>("repeat-cc");

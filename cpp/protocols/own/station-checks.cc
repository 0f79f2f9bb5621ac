/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/own/station-checks.h"

#include "content/content-codec.h"
#include "protocols/mesh/frames.h"
#include "protocols/own/station-timers.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <string>

namespace mftpubsub::mesh
{

namespace
{

/// @return whether it may be in a word; letters beyond ASCII have bytes from 0x80 on in UTF-8
bool
IsOfAWord(char sign)
{
    const auto is = [sign](char first, char last) { return first <= sign && sign <= last; };
    return is('a', 'z') || is('A', 'Z') || is('0', '9') || sign == '_' || sign == '-' ||
           static_cast<unsigned char>(sign) >= 0x80;
}

std::string
InSeconds(Instant at)
{
    return std::to_string(std::chrono::duration<double>(at).count()) + " s";
}

std::string
Name(EventId event)
{
    return std::to_string(event.publisher) + ":" + std::to_string(event.sequence);
}

Bytes
ToWire(const Event& event)
{
    ByteWriter out;
    WriteEvent(out, event);
    return out.Take();
}

/// @return the method of a station that is told @p input
const char*
NameMethod(const Station::Input& input)
{
    static constexpr std::array METHODS{"Start",
                                        "Receive",
                                        "Transmitted",
                                        "Dropped",
                                        "Publish",
                                        "Recall",
                                        "Subscribe",
                                        "Unsubscribe",
                                        "Expire"};
    static_assert(METHODS.size() == std::variant_size_v<Station::Input>);
    return METHODS.at(input.index());
}

} // namespace

void
CheckKind(std::string_view name)
{
    if (name.empty() || !std::ranges::all_of(name, IsOfAWord))
    {
        throw std::invalid_argument("a kind of frames is called '" + std::string(name) +
                                    "', which is no word of letters, digits, _ and -: traces name "
                                    "frames by it");
    }
}

void
CheckExists(const std::string& what, NodeId node, uint16_t nodes)
{
    if (nodes && node >= nodes)
    {
        throw std::out_of_range(what + " node " + std::to_string(node) + ": there are 0 to " +
                                std::to_string(nodes - 1));
    }
}

std::runtime_error
LocateFailure(std::string_view method, NodeId node, Instant now)
{
    const auto where =
        std::string(method) + " at node " + std::to_string(node) + ", " + InSeconds(now) + ": ";
    try
    {
        throw;
    }
    catch (const std::exception& error)
    {
        return std::runtime_error(where + error.what());
    }
    catch (...)
    {
        return std::runtime_error(where + "it throws what is no std::exception, so without a text");
    }
}

std::runtime_error
LocateFailure(const Station::Input& input, NodeId node, Instant now)
{
    return LocateFailure(NameMethod(input), node, now);
}

StationChecks::StationChecks(size_t maxFrameBytes, const PublishedEvents* published, uint16_t nodes)
    : m_maxFrameBytes(maxFrameBytes),
      m_published(published),
      m_nodes(nodes)
{
}

void
StationChecks::Check(Instant now,
                     const Station::Input& input,
                     const Output& output,
                     std::optional<Instant> due)
{
    m_hasStarted = m_hasStarted || std::holds_alternative<input::Started>(input);
    if (output.frame)
    {
        CheckFrame(*output.frame);
    }
    std::ranges::for_each(output.taken, [this](EventId event) { FindPublished(event); });
    std::ranges::for_each(output.deliveries, [this](const auto& each) { CheckDelivery(each); });
    if (!std::holds_alternative<input::Expired>(input))
    {
        return;
    }
    const auto lag = due ? now - *due : Instant::min();
    const bool isLate = lag >= Instant(0);
    m_turns = now == m_expiredAt || (isLate && lag >= m_lag) ? m_turns + 1 : 1;
    m_expiredAt = now;
    m_lag = lag;
    if (m_turns > MOST_AT_ONCE && isLate)
    {
        throw std::runtime_error(std::to_string(MOST_AT_ONCE) +
                                 " times in a row Expire has left NextDue at what has passed, " +
                                 InSeconds(*due) + ": it has to be later than now, or NEVER");
    }
}

void
StationChecks::CheckFrame(const OutgoingFrame& frame) const
{
    CheckKind(frame.name);
    if (!m_hasStarted)
    {
        throw std::logic_error("a " + frame.name +
                               " before Start, when the device is off: keep it until then");
    }
    CheckFits(frame.name, frame.bytes, m_maxFrameBytes);
}

EventPtr
StationChecks::FindPublished(EventId event) const
{
    if (!m_published)
    {
        return nullptr;
    }
    const auto found = m_published->find(event);
    if (found == m_published->end())
    {
        throw std::invalid_argument("deliver: nobody has published " + Name(event));
    }
    return found->second;
}

void
StationChecks::CheckDelivery(const Delivery& delivery) const
{
    const auto published = FindPublished(delivery.event);
    if (delivery.from != NO_NODE)
    {
        CheckExists("deliver: from", delivery.from, m_nodes);
    }
    if (!delivery.isNew)
    {
        return;
    }
    if (!delivery.content)
    {
        throw std::invalid_argument("deliver: " + Name(delivery.event) +
                                    " is new here, but its event is nullptr: give the event");
    }
    if (published && delivery.content != published &&
        ToWire(*delivery.content) != ToWire(*published))
    {
        throw std::invalid_argument("deliver: " + Name(delivery.event) +
                                    " was published with other attributes or payload");
    }
}

} // namespace mftpubsub::mesh

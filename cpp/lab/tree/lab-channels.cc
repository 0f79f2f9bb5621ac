/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/lab-channels.h"

namespace mftpubsub
{

void
LabChannels::Put(const Edge& link, MessagePtr message)
{
    if (const auto stale = m_stale.find(link); stale != m_stale.end())
    {
        stale->second.push_back(std::move(message));
    }
    else
    {
        m_channels[link].push_back({m_order++, Sign::NONE, std::move(message)});
    }
}

LabChannels::InFlight
LabChannels::Take(const Edge& link)
{
    const auto channel = m_channels.find(link);
    auto taken = std::move(channel->second.front());
    channel->second.pop_front();
    if (channel->second.empty())
    {
        m_channels.erase(channel);
    }
    return taken;
}

LabChannels::MessagePtr
LabChannels::Peek(const Edge& link) const
{
    return m_channels.at(link).front().message;
}

bool
LabChannels::CarriesMessage(const Edge& link) const
{
    const auto channel = m_channels.find(link);
    return channel != m_channels.end() && channel->second.front().message;
}

std::vector<std::pair<uint64_t, LabChannels::Edge>>
LabChannels::GetHeads() const
{
    std::vector<std::pair<uint64_t, Edge>> heads;
    for (const auto& [link, channel] : m_channels)
    {
        heads.emplace_back(channel.front().order, link);
    }
    return heads;
}

bool
LabChannels::IsEmpty() const
{
    return m_channels.empty();
}

uint64_t
LabChannels::TakePlace()
{
    return m_order++;
}

void
LabChannels::EndSession(const Edge& there)
{
    const Edge back{there.second, there.first};
    FailAll(there);
    if (FailStale(there)) // the other has ended it too: the next session is new to both
    {
        DropSigns(back, Sign::NEW_SESSION);
        PutSign(there, Sign::ALIVE);
        PutSign(back, Sign::ALIVE);
        return;
    }
    auto& stale = m_stale[back];
    if (auto channel = m_channels.extract(back))
    {
        for (const auto& inFlight : channel.mapped())
        {
            if (inFlight.sign == Sign::NONE)
            {
                stale.push_back(inFlight.message);
            }
            else if (inFlight.sign == Sign::HEARD)
            {
                PutSign(back, Sign::HEARD);
            }
        }
    }
    PutSign(there, Sign::NEW_SESSION);
}

void
LabChannels::FailAll(const Edge& link)
{
    if (auto channel = m_channels.extract(link))
    {
        for (const auto& inFlight : channel.mapped())
        {
            if (inFlight.sign == Sign::NONE)
            {
                m_failures.push_back({link, inFlight.message});
            }
            else if (inFlight.sign == Sign::HEARD)
            {
                PutSign(link, Sign::HEARD);
            }
        }
    }
}

bool
LabChannels::FailStale(const Edge& link)
{
    const auto stale = m_stale.extract(link);
    if (stale)
    {
        for (const auto& message : stale.mapped())
        {
            m_failures.push_back({link, message});
        }
    }
    return static_cast<bool>(stale);
}

void
LabChannels::DropSigns(const Edge& link, Sign sign)
{
    const auto channel = m_channels.find(link);
    if (channel == m_channels.end())
    {
        return;
    }
    std::erase_if(channel->second, [&](const auto& inFlight) { return inFlight.sign == sign; });
    if (channel->second.empty())
    {
        m_channels.erase(channel);
    }
}

void
LabChannels::PutSign(const Edge& link, Sign sign)
{
    m_channels[link].push_back({m_order++, sign, nullptr});
}

void
LabChannels::Break(NodeId one, NodeId other)
{
    for (const auto& link : {Edge{one, other}, Edge{other, one}})
    {
        DropSigns(link, Sign::HEARD);
        FailAll(link);
        FailStale(link);
    }
}

void
LabChannels::Fail(const Edge& link, MessagePtr message)
{
    m_failures.push_back({link, std::move(message)});
}

std::optional<LabChannels::Failure>
LabChannels::TakeFailure()
{
    if (m_failures.empty())
    {
        return std::nullopt;
    }
    auto oldest = std::move(m_failures.front());
    m_failures.pop_front();
    return oldest;
}

void
LabChannels::ForgetFailures()
{
    m_failures.clear();
}

void
LabChannels::VisitSent(NodeId source, const std::function<void(const Message&)>& visit) const
{
    for (const auto& [link, channel] : m_channels)
    {
        for (const auto& inFlight : channel)
        {
            if (link.first == source && inFlight.message)
            {
                visit(*inFlight.message);
            }
        }
    }
    for (const auto& [link, messages] : m_stale)
    {
        for (const auto& message : messages)
        {
            if (link.first == source)
            {
                visit(*message);
            }
        }
    }
}

std::string
LabChannels::GetDigest(const std::function<std::string(const Message&)>& describe) const
{
    std::string text;
    for (const auto& [link, channel] : m_channels)
    {
        text += std::to_string(link.first) + ">" + std::to_string(link.second) + ":";
        for (const auto& inFlight : channel)
        {
            text += inFlight.message ? describe(*inFlight.message)
                                     : "!" + std::to_string(static_cast<int>(inFlight.sign));
        }
        text += '\n';
    }
    for (const auto& [link, messages] : m_stale)
    {
        text += std::to_string(link.first) + "~" + std::to_string(link.second) + ":";
        for (const auto& message : messages)
        {
            text += describe(*message);
        }
        text += '\n';
    }
    return text;
}

} // namespace mftpubsub

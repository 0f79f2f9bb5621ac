/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/tree/questions.h"

#include <algorithm>

namespace mftpubsub
{

Questions::Question&
Questions::Find(const EventPtr& event, uint8_t hops)
{
    const auto known = std::ranges::find(m_questions, event->id, [](const Question& question) {
        return question.event->id;
    });
    if (known != m_questions.end())
    {
        return *known;
    }
    if (m_questions.size() >= m_most)
    {
        m_questions.pop_front();
    }
    m_questions.push_back({event, hops});
    return m_questions.back();
}

void
Questions::Keep(const EventPtr& event, uint8_t hops, NodeId asker)
{
    auto& question = Find(event, hops);
    if (asker != NO_NODE)
    {
        question.askers.insert(asker);
    }
}

std::vector<Pub>
Questions::For(NodeId neighbour)
{
    std::vector<Pub> copies;
    for (auto& [event, hops, askers, asked, deaf] : m_questions)
    {
        if (!askers.contains(neighbour) && asked.insert(neighbour).second)
        {
            deaf.erase(neighbour);
            copies.push_back({event, hops, {}, true});
        }
    }
    return copies;
}

void
Questions::NotHeard(NodeId neighbour, const Pub& question)
{
    auto& kept = Find(question.event, question.hops);
    kept.asked.erase(neighbour);
    kept.deaf.insert(neighbour);
}

void
Questions::DropAsked()
{
    std::erase_if(m_questions, [](const Question& question) {
        return !question.asked.empty() && question.deaf.empty();
    });
}

std::string
Questions::GetDigest() const
{
    std::string digest;
    for (const auto& [event, hops, askers, asked, deaf] : m_questions)
    {
        digest += std::to_string(event->id.publisher) + "." + std::to_string(event->id.sequence);
        for (const auto asker : askers)
        {
            digest += "?" + std::to_string(asker);
        }
        for (const auto neighbour : asked)
        {
            digest += "!" + std::to_string(neighbour);
        }
        for (const auto neighbour : deaf)
        {
            digest += "-" + std::to_string(neighbour);
        }
        digest += ",";
    }
    return digest;
}

} // namespace mftpubsub

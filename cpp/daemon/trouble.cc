/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "trouble.h"

#include "json/json-reader.h"

#include <cstdint>
#include <iostream>
#include <map>

namespace mftpubsub::live
{

namespace
{

constexpr auto LOOK_INTERVAL = std::chrono::seconds(1);

/// @return by counter what nodes in Python say, too (mftpubsub.live.node)
std::map<std::string, std::string>
MakeWords(NodeId node)
{
    return {{"duplicate_ids",
             "another node has the id " + std::to_string(node) + ": give each its own"},
            {"locked", "datagrams come that need a key, and this node has none"},
            {"unsigned", "datagrams come without the key of this network"},
            {"damaged", "datagrams come that are damaged, or of another key"},
            {"inbox_overflows", "events were dropped, as the application does not take them"}};
}

} // namespace

Trouble::Trouble(NodeId node)
    : m_node(node)
{
}

void
Trouble::Look(const Runner& runner)
{
    const auto now = std::chrono::steady_clock::now();
    if (now < m_lookAt)
    {
        return;
    }
    m_lookAt = now + LOOK_INTERVAL;
    const auto counters =
        FromJson<std::map<std::string, uint64_t>>(runner.GetCounters(), "counters");
    for (const auto& [name, words] : MakeWords(m_node))
    {
        if (counters.contains(name))
        {
            Say(name, words);
        }
    }
}

void
Trouble::Say(const std::string& subject, const std::string& words)
{
    if (m_said.insert(subject).second)
    {
        std::cerr << "mftpubsubd: node " << m_node << ": " << words << std::endl;
    }
}

} // namespace mftpubsub::live

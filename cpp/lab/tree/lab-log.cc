/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/lab-log.h"

#include "lab/tree/tree-words.h"
#include "protocols/tree/message-codec.h"

#include <variant>

namespace mftpubsub
{

LabLog::LabLog(const std::string& protocol)
    : m_protocol(protocol)
{
}

void
LabLog::Record(const LabProcesses& processes,
               const std::pair<NodeId, NodeId>& link,
               const Message& message,
               bool failed)
{
    if (!m_logging)
    {
        return;
    }
    const auto& source = processes.Name(link.first);
    const auto& destination = processes.Name(link.second);
    const std::string kind(GetName(message));
    m_records.push_back({m_step,
                         source,
                         destination,
                         kind,
                         DescribeFields(message, m_protocol, processes),
                         failed,
                         source + " -> " + destination + " " + kind +
                             DescribeWords(message, m_protocol, processes) +
                             (failed ? " (delivery failed)" : "")});
}

void
LabLog::Note(const LabProcesses& processes, NodeId broker, const std::string& text)
{
    if (m_logging)
    {
        const auto& name = processes.Name(broker);
        m_records.push_back({m_step, name, "", "", "{}", false, name + " notes " + text});
    }
}

std::string
LabLog::Describe(const LabProcesses& processes, const Message& message) const
{
    if (const auto* own = std::get_if<Own>(&message))
    {
        return std::to_string(GetKind(message)) + ':' + std::to_string(own->body.size()) + ':' +
               std::string(own->body.begin(), own->body.end());
    }
    auto described = std::string(GetName(message)) + DescribeFields(message, m_protocol, processes);
    if (const auto* pub = std::get_if<Pub>(&message))
    {
        described += '[';
        for (const auto subscriber : pub->subscribers)
        {
            described += std::to_string(subscriber) + ",";
        }
        described += ']';
    }
    return described;
}

void
LabLog::BeginStep()
{
    ++m_step;
}

void
LabLog::SetLogging(bool logging)
{
    m_logging = logging;
}

const std::vector<LabRecord>&
LabLog::GetRecords() const
{
    return m_records;
}

void
LabLog::Clear()
{
    m_records.clear();
}

void
LabLog::StartAnew()
{
    m_records.clear();
    m_step = 0;
}

} // namespace mftpubsub

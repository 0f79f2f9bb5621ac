/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "trace/trace-writer.h"

#include <charconv>
#include <utility>

namespace mftpubsub
{

namespace
{

constexpr size_t BLOCK_BYTES = 1 << 20;
constexpr size_t LONGEST_LINE = 256;
constexpr int64_t NS_PER_S = 1'000'000'000;

} // namespace

TraceWriter::TraceWriter(TraceSink sink)
    : m_sink(std::move(sink))
{
    m_buffer.reserve(BLOCK_BYTES + LONGEST_LINE);
    Append(HEADER);
    m_buffer += '\n';
}

void
TraceWriter::Write(const TraceRecord& record)
{
    m_buffer += record.op;
    m_buffer += ' ';
    AppendTime(record.timeNs);
    AppendNumber(record.node);
    m_buffer += ' ';
    Append(record.layer);
    m_buffer += ' ';
    Append(record.kind);
    for (const auto number : {record.peer,
                              record.bytes,
                              record.publisher,
                              record.sequence,
                              record.subscriber,
                              record.hops})
    {
        AppendNumber(number);
    }
    m_buffer += '\n';
    if (m_buffer.size() >= BLOCK_BYTES)
    {
        Flush();
    }
}

void
TraceWriter::Flush()
{
    m_sink(m_buffer.data(), m_buffer.size());
    m_buffer.clear();
}

void
TraceWriter::Append(std::string_view text)
{
    m_buffer.append(text);
}

void
TraceWriter::AppendNumber(int64_t number)
{
    m_buffer += ' ';
    if (number < 0)
    {
        m_buffer += '-';
        return;
    }
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
    m_buffer.append(digits, end);
}

void
TraceWriter::AppendTime(int64_t timeNs)
{
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof(digits), timeNs / NS_PER_S).ptr;
    m_buffer.append(digits, end);
    m_buffer += '.';
    auto fraction = timeNs % NS_PER_S;
    for (auto place = NS_PER_S / 10; place > 0; place /= 10)
    {
        m_buffer += static_cast<char>('0' + fraction / place % 10);
    }
}

} // namespace mftpubsub

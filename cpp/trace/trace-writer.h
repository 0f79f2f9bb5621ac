/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_TRACE_TRACE_WRITER_H
#define MFTPUBSUB_TRACE_TRACE_WRITER_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mftpubsub
{

/// Takes a block of trace text; the pointer is valid during the call only.
using TraceSink = std::function<void(const char* text, size_t bytes)>;

/// One line of a trace (trace_schema.yaml); a negative number is a field that does not apply.
struct TraceRecord
{
    char op;
    int64_t timeNs;
    int64_t node;
    std::string_view layer;
    std::string_view kind;
    int64_t peer{-1};
    int64_t bytes{-1};
    int64_t publisher{-1};
    int64_t sequence{-1};
    int64_t subscriber{-1};
    int64_t hops{-1};
};

/// Formats trace records and hands them on in large blocks.
class TraceWriter
{
  public:
    /// Version of the format and its columns, as in trace_schema.yaml (a test compares them).
    static constexpr std::string_view HEADER = "# mftpubsub-trace 1 op time_s node layer kind peer "
                                               "bytes publisher sequence subscriber hops";

    /// Writes the header. @param sink takes the text
    explicit TraceWriter(TraceSink sink);

    void Write(const TraceRecord& record);

    /// Hands on what is left.
    void Flush();

  private:
    void Append(std::string_view text);
    void AppendNumber(int64_t number);
    void AppendTime(int64_t timeNs);

    TraceSink m_sink;
    std::string m_buffer;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_TRACE_TRACE_WRITER_H */

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HELPER_TRACE_SPOOL_H
#define MFTPUBSUB_HELPER_TRACE_SPOOL_H

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

namespace mftpubsub
{

/// A trace that has no name until it is complete: it waits in a temporary file.
class TraceSpool
{
  public:
    /// @throws std::runtime_error if there is no room for temporary files
    TraceSpool();

    void Write(const char* text, size_t bytes);

    /// Puts a copy of all that was written under the name @p path, as a whole or not at all. What
    /// is no regular file, such as a FIFO, is written in place.
    /// @throws std::runtime_error if it cannot be written
    void CopyTo(const std::string& path);

    /// @throws std::runtime_error unless a file can be made at @p path
    static void CheckPath(const std::string& path);

  private:
    struct Closer
    {
        void operator()(std::FILE* file) const
        {
            std::fclose(file);
        }
    };

    std::unique_ptr<std::FILE, Closer> m_file;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HELPER_TRACE_SPOOL_H */

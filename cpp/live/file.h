/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LIVE_FILE_H
#define MFTPUBSUB_LIVE_FILE_H

#include <string>
#include <string_view>
#include <utility>

namespace mftpubsub::live
{

/// A file descriptor, closed at the end.
class File
{
  public:
    File() = default;

    explicit File(int descriptor)
        : m_descriptor(descriptor)
    {
    }

    File(File&& other) noexcept
        : m_descriptor(std::exchange(other.m_descriptor, -1))
    {
    }

    File& operator=(File&& other) noexcept
    {
        std::swap(m_descriptor, other.m_descriptor);
        return *this;
    }

    ~File();

    int Get() const
    {
        return m_descriptor;
    }

    bool IsOpen() const
    {
        return m_descriptor >= 0;
    }

  private:
    int m_descriptor{-1};
};

/// The functions below throw std::system_error that names @p path.

/// @param flags of open(2)
File OpenFile(const std::string& path, int flags);

/// Writes all of @p text.
void WriteAll(const File& file, std::string_view text, const std::string& path);

/// @return what is in the file from its beginning
std::string ReadAll(const File& file, const std::string& path);

void Sync(const File& file, const std::string& path);

/// What a file is to have: after a loss of power it has either what it had, or all of this.
class FreshFile
{
  public:
    explicit FreshFile(std::string path);

    void Write(std::string_view text);

    /// It has all of it.
    void Replace();

  private:
    void Flush();

    std::string m_path;
    std::string m_freshPath;
    File m_file;
    std::string m_waiting; //!< that was not written yet
};

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_LIVE_FILE_H */

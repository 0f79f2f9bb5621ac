/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "live/file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace mftpubsub::live
{

namespace
{

constexpr int MODE = 0600; //!< what a node has heard is for its owner
constexpr size_t WRITE_BYTES = 65536;

[[noreturn]] void
Fail(const std::string& path)
{
    throw std::system_error(errno, std::generic_category(), path);
}

} // namespace

File::~File()
{
    if (IsOpen())
    {
        close(m_descriptor);
    }
}

File
OpenFile(const std::string& path, int flags)
{
    File file(open(path.c_str(), flags | O_CLOEXEC, MODE));
    if (!file.IsOpen())
    {
        Fail(path);
    }
    return file;
}

void
WriteAll(const File& file, std::string_view text, const std::string& path)
{
    while (!text.empty())
    {
        const auto written = write(file.Get(), text.data(), text.size());
        if (written < 0 && errno != EINTR)
        {
            Fail(path);
        }
        text.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
    }
}

std::string
ReadAll(const File& file, const std::string& path)
{
    std::string text;
    std::array<char, WRITE_BYTES> block{};
    while (true)
    {
        const auto read =
            pread(file.Get(), block.data(), block.size(), static_cast<off_t>(text.size()));
        if (read < 0)
        {
            Fail(path);
        }
        if (read == 0)
        {
            return text;
        }
        text.append(block.data(), static_cast<size_t>(read));
    }
}

void
Sync(const File& file, const std::string& path)
{
    if (fsync(file.Get()) != 0)
    {
        Fail(path);
    }
}

FreshFile::FreshFile(std::string path)
    : m_path(std::move(path)),
      m_freshPath(m_path + ".new"),
      m_file(OpenFile(m_freshPath, O_WRONLY | O_CREAT | O_TRUNC))
{
}

void
FreshFile::Write(std::string_view text)
{
    m_waiting += text;
    if (m_waiting.size() >= WRITE_BYTES)
    {
        Flush();
    }
}

void
FreshFile::Flush()
{
    WriteAll(m_file, m_waiting, m_freshPath);
    m_waiting.clear();
}

void
FreshFile::Replace()
{
    Flush();
    Sync(m_file, m_freshPath);
    if (rename(m_freshPath.c_str(), m_path.c_str()) != 0)
    {
        Fail(m_path);
    }
    const auto parent = std::filesystem::path(m_path).parent_path();
    const auto folder = parent.empty() ? std::string(".") : parent.string();
    Sync(OpenFile(folder, O_RDONLY | O_DIRECTORY), folder); // the name itself must last, too
}

} // namespace mftpubsub::live

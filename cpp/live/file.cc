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

namespace mftpubsub::live
{

namespace
{

constexpr int MODE = 0600; //!< what a node has heard is for its owner

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
    std::array<char, 65536> block{};
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

void
ReplaceFile(const std::string& path, std::string_view text)
{
    const auto fresh = path + ".new";
    {
        const auto file = OpenFile(fresh, O_WRONLY | O_CREAT | O_TRUNC);
        WriteAll(file, text, fresh);
        Sync(file, fresh);
    }
    if (rename(fresh.c_str(), path.c_str()) != 0)
    {
        Fail(path);
    }
    const auto parent = std::filesystem::path(path).parent_path();
    const auto folder = parent.empty() ? std::string(".") : parent.string();
    Sync(OpenFile(folder, O_RDONLY | O_DIRECTORY), folder); // the name itself must last, too
}

} // namespace mftpubsub::live

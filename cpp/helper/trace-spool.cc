/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "helper/trace-spool.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace mftpubsub
{

namespace
{

constexpr size_t BLOCK = 1 << 16; //!< B copied at once

[[noreturn]] void
Fail(const std::string& path)
{
    throw std::runtime_error("the trace " + path + " cannot be written: " + std::strerror(errno));
}

/// @return where a file is written before it is whole
std::string
PartOf(const std::string& path)
{
    const auto isDevice = std::filesystem::exists(path) && !std::filesystem::is_regular_file(path);
    const auto isLink = path.starts_with("/dev/"); // of what is open, such as /dev/stdout
    return isDevice || isLink ? path : path + ".partial";
}

} // namespace

TraceSpool::TraceSpool()
    : m_file(std::tmpfile())
{
    if (!m_file)
    {
        Fail("to be kept for the run");
    }
}

void
TraceSpool::Write(const char* text, size_t bytes)
{
    if (std::fwrite(text, 1, bytes, m_file.get()) != bytes)
    {
        Fail("to be kept for the run");
    }
}

void
TraceSpool::CopyTo(const std::string& path)
{
    const auto part = PartOf(path);
    std::ofstream out(part, std::ios::binary);
    std::rewind(m_file.get());
    std::array<char, BLOCK> block;
    while (const auto bytes = std::fread(block.data(), 1, block.size(), m_file.get()))
    {
        out.write(block.data(), static_cast<std::streamsize>(bytes));
    }
    out.close();
    if (part != path && (!out || std::rename(part.c_str(), path.c_str()) != 0))
    {
        const auto why = errno;
        std::remove(part.c_str());
        errno = why;
        Fail(path);
    }
    if (!out)
    {
        Fail(path);
    }
}

void
TraceSpool::CheckPath(const std::string& path)
{
    if (path.empty())
    {
        throw std::runtime_error("the trace cannot be written: its path is empty");
    }
    if (std::filesystem::is_directory(path))
    {
        errno = EISDIR;
        Fail(path);
    }
    const auto part = PartOf(path);
    if (part == path)
    {
        return; // to open a FIFO waits for its reader
    }
    if (!std::ofstream(part))
    {
        Fail(path);
    }
    std::remove(part.c_str());
}

} // namespace mftpubsub

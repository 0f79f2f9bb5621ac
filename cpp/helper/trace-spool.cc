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

std::string
PartOf(const std::string& path)
{
    return path + ".partial";
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
    std::ofstream out(PartOf(path), std::ios::binary);
    std::rewind(m_file.get());
    std::array<char, BLOCK> block;
    while (const auto bytes = std::fread(block.data(), 1, block.size(), m_file.get()))
    {
        out.write(block.data(), static_cast<std::streamsize>(bytes));
    }
    out.close();
    if (!out || std::rename(PartOf(path).c_str(), path.c_str()) != 0)
    {
        const auto why = errno;
        std::remove(PartOf(path).c_str());
        errno = why;
        Fail(path);
    }
}

void
TraceSpool::CheckPath(const std::string& path)
{
    if (std::filesystem::is_directory(path))
    {
        errno = EISDIR;
        Fail(path);
    }
    if (!std::ofstream(PartOf(path)))
    {
        Fail(path);
    }
    std::remove(PartOf(path).c_str());
}

} // namespace mftpubsub

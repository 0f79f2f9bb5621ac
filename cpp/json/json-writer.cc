/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "json/json-writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace mftpubsub
{

void
JsonWriter::Write(bool value)
{
    m_text += value ? "true" : "false";
}

void
JsonWriter::Write(double value)
{
    if (!std::isfinite(value))
    {
        m_text += "null"; // JSON has no such numbers
        return;
    }
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    const std::string_view number(digits.data(), end);
    m_text += number;
    if (number.find_first_of(".e") == std::string_view::npos)
    {
        m_text += ".0"; // else it would be read as a whole one
    }
}

void
JsonWriter::Write(const std::string& value)
{
    m_text += '"';
    for (const auto c : value)
    {
        if (static_cast<unsigned char>(c) < ' ')
        {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
            m_text += escape.data();
            continue;
        }
        if (c == '"' || c == '\\')
        {
            m_text += '\\';
        }
        m_text += c;
    }
    m_text += '"';
}

} // namespace mftpubsub

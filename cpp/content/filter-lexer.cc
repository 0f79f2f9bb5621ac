/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/filter-lexer.h"

#include "content/condition.h"

#include <algorithm>
#include <array>

namespace mftpubsub::filters
{

namespace
{

constexpr std::string_view DIGITS = "0123456789";
constexpr std::string_view IDENTIFIER_START =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$";
constexpr std::string_view IDENTIFIER_CHARACTERS =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$0123456789.";
constexpr std::array<std::string_view, 11>
    KEYWORDS{"AND", "BETWEEN", "ESCAPE", "FALSE", "IN", "IS", "LIKE", "NOT", "NULL", "OR", "TRUE"};
constexpr std::array<std::string_view, 13>
    SYMBOLS{"<>", "<=", ">=", "=", "<", ">", "+", "-", "*", "/", "(", ")", ","};

bool
IsOneOf(std::string_view characters, char c)
{
    return characters.find(c) != std::string_view::npos;
}

/// @return the keyword that @p word is in any case, or nothing
std::string_view
FindKeyword(std::string_view word)
{
    const auto equalInAnyCase = [](char keyword, char c) {
        return keyword == (c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
    };
    const auto* found = std::ranges::find_if(KEYWORDS, [&](std::string_view keyword) {
        return std::ranges::equal(keyword, word, equalInAnyCase);
    });
    return found == KEYWORDS.end() ? std::string_view() : *found;
}

} // namespace

void
Fail(const std::string& expected, size_t position, const std::string& found)
{
    throw FilterError("expected " + expected + " at position " + std::to_string(position) +
                          ", found " + found,
                      position);
}

std::string
Quote(std::string_view text)
{
    constexpr size_t longest = 40;
    std::string shown(text.substr(0, longest));
    std::replace_if(
        shown.begin(),
        shown.end(),
        [](unsigned char c) { return c < 0x20 || c >= 0x7f; },
        '?');
    return "'" + shown + (text.size() > longest ? "...'" : "'");
}

Lexer::Lexer(std::string_view text)
    : m_text(text)
{
}

Token
Lexer::Next()
{
    m_position = SkipFrom(m_position, " \t\r\n\f\v");
    if (m_position == m_text.size())
    {
        return {TokenKind::END, m_position, {}};
    }
    const char c = m_text[m_position];
    if (c == '\'')
    {
        return ReadString();
    }
    if (IsOneOf(DIGITS, c) || (c == '.' && IsOneOf(DIGITS, At(m_position + 1))))
    {
        return ReadNumber();
    }
    return IsOneOf(IDENTIFIER_START, c) ? ReadWord() : ReadSymbol();
}

char
Lexer::At(size_t position) const
{
    return position < m_text.size() ? m_text[position] : ' ';
}

size_t
Lexer::SkipFrom(size_t position, std::string_view characters) const
{
    return std::min(m_text.find_first_not_of(characters, position), m_text.size());
}

Token
Lexer::Take(TokenKind kind, size_t end)
{
    const size_t position = m_position;
    m_position = end;
    return {kind, position, m_text.substr(position, end - position)};
}

Token
Lexer::ReadString()
{
    size_t end = m_position + 1;
    while (true)
    {
        end = m_text.find('\'', end);
        if (end == std::string_view::npos)
        {
            Fail("a closing quote for the string begun at position " + std::to_string(m_position),
                 m_text.size(),
                 "end of text");
        }
        if (At(end + 1) != '\'')
        {
            return Take(TokenKind::STRING, end + 1);
        }
        end += 2;
    }
}

Token
Lexer::ReadNumber()
{
    TokenKind kind = TokenKind::INTEGER;
    size_t end = SkipFrom(m_position, DIGITS);
    if (At(end) == '.')
    {
        kind = TokenKind::REAL;
        end = SkipFrom(end + 1, DIGITS);
    }
    if (At(end) == 'e' || At(end) == 'E')
    {
        kind = TokenKind::REAL;
        end += At(end + 1) == '+' || At(end + 1) == '-' ? 2 : 1;
        if (!IsOneOf(DIGITS, At(end)))
        {
            Fail("the digits of an exponent", end, Found(end));
        }
        end = SkipFrom(end, DIGITS);
    }
    if (IsOneOf(IDENTIFIER_CHARACTERS, At(end)))
    {
        Fail("an operator after the number", end, Found(end));
    }
    return Take(kind, end);
}

Token
Lexer::ReadWord()
{
    Token token = Take(TokenKind::ATTRIBUTE, SkipFrom(m_position, IDENTIFIER_CHARACTERS));
    const std::string_view keyword = FindKeyword(token.text);
    if (!keyword.empty())
    {
        token.kind = TokenKind::OPERATOR;
        token.text = keyword;
    }
    return token;
}

Token
Lexer::ReadSymbol()
{
    for (const std::string_view symbol : SYMBOLS)
    {
        if (m_text.substr(m_position).starts_with(symbol))
        {
            return Take(TokenKind::OPERATOR, m_position + symbol.size());
        }
    }
    Fail("a value or an operator", m_position, Found(m_position));
}

std::string
Lexer::Found(size_t position) const
{
    if (position >= m_text.size())
    {
        return "end of text";
    }
    const auto isAscii = static_cast<unsigned char>(m_text[position]) < 0x80;
    return isAscii ? Quote(m_text.substr(position, 1)) : "a character that is none of ASCII's";
}

} // namespace mftpubsub::filters

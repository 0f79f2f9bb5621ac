/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/filter-tokens.h"

#include <algorithm>

namespace mftpubsub::filters
{

std::string
Unquote(std::string_view literal)
{
    std::string text;
    for (size_t i = 1; i + 1 < literal.size(); ++i)
    {
        text += literal[i];
        i += literal[i] == '\'' ? 1 : 0;
    }
    return text;
}

std::string
ToPattern(const Token& token, const std::string& escape)
{
    const std::string text = Unquote(token.text);
    std::string pattern;
    for (size_t i = 0; i < text.size(); ++i)
    {
        const bool escaped = !escape.empty() && text.compare(i, escape.size(), escape) == 0;
        i += escaped ? escape.size() : 0;
        const std::string_view rest = std::string_view(text).substr(std::min(i, text.size()));
        if (escaped && !rest.starts_with('%') && !rest.starts_with('_') &&
            !rest.starts_with(escape))
        {
            Fail("'%', '_' or the escape character after each escape character of the pattern",
                 token.position,
                 Quote(token.text));
        }
        const char c = rest.front();
        if (c == '\\' || (escaped && (c == '%' || c == '_')))
        {
            pattern += '\\';
        }
        pattern += c;
    }
    return pattern;
}

Tokens::Tokens(std::string_view text)
    : m_lexer(text),
      m_token(m_lexer.Next())
{
}

const Token&
Tokens::Get() const
{
    return m_token;
}

void
Tokens::Advance()
{
    m_previous = m_token;
    m_token = m_lexer.Next();
}

bool
Tokens::Accept(std::string_view keywordOrSymbol)
{
    const bool accepted = m_token.Is(keywordOrSymbol);
    if (accepted)
    {
        Advance();
    }
    return accepted;
}

void
Tokens::Expect(std::string_view keywordOrSymbol)
{
    if (!Accept(keywordOrSymbol))
    {
        FailHere(Quote(keywordOrSymbol));
    }
}

bool
Tokens::IsNumber() const
{
    return m_token.kind == TokenKind::INTEGER || m_token.kind == TokenKind::REAL;
}

void
Tokens::FailHere(const std::string& expected) const
{
    Fail(expected, m_token.position, Describe());
}

void
Tokens::FailOperand(const std::string& expected) const
{
    FailHere(m_previous.text.empty() ? expected : expected + " after " + Quote(m_previous.text));
}

std::string
Tokens::Describe() const
{
    switch (m_token.kind)
    {
    case TokenKind::END:
        return "end of text";
    case TokenKind::STRING:
        return "the string " + Quote(m_token.text.substr(1, m_token.text.size() - 2));
    default:
        return Quote(m_token.text);
    }
}

} // namespace mftpubsub::filters

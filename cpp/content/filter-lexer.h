/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_FILTER_LEXER_H
#define MFTPUBSUB_CONTENT_FILTER_LEXER_H

#include <cstddef>
#include <string>
#include <string_view>

namespace mftpubsub::filters
{

enum class TokenKind
{
    END,
    INTEGER,
    REAL,
    STRING,
    ATTRIBUTE,
    OPERATOR, //!< a keyword or a symbol
};

struct Token
{
    TokenKind kind{TokenKind::END};
    size_t position{0};
    std::string_view text; //!< as written; keywords in capitals, strings with their quotes

    bool Is(std::string_view keywordOrSymbol) const
    {
        return kind == TokenKind::OPERATOR && text == keywordOrSymbol;
    }
};

/// Throws the FilterError of something that was @p expected.
[[noreturn]] void Fail(const std::string& expected, size_t position, const std::string& found);

/// @return @p text as an error message shows it, shortened and printable
std::string Quote(std::string_view text);

/// Cuts a filter's text into tokens.
class Lexer
{
  public:
    explicit Lexer(std::string_view text);

    Token Next();

  private:
    char At(size_t position) const;
    size_t SkipFrom(size_t position, std::string_view characters) const;
    Token Take(TokenKind kind, size_t end);
    Token ReadString();
    Token ReadNumber();
    Token ReadWord();
    Token ReadSymbol();
    std::string Found(size_t position) const;

    std::string_view m_text;
    size_t m_position{0};
};

} // namespace mftpubsub::filters

#endif /* MFTPUBSUB_CONTENT_FILTER_LEXER_H */

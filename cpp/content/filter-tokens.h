/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_FILTER_TOKENS_H
#define MFTPUBSUB_CONTENT_FILTER_TOKENS_H

#include "content/filter-lexer.h"

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace mftpubsub::filters
{

/// @return the text that a string's token stands for
std::string Unquote(std::string_view literal);

/// @return a LIKE pattern, the string @p token, rewritten so that '\' is its escape character
std::string ToPattern(const Token& token, const std::string& escape);

/// The tokens of a filter's text, one after the other; whoever reads them says what it expects.
class Tokens
{
  public:
    explicit Tokens(std::string_view text);

    const Token& Get() const;
    void Advance();

    /// Passes a keyword or symbol. @return whether it is next
    bool Accept(std::string_view keywordOrSymbol);
    void Expect(std::string_view keywordOrSymbol);

    bool IsNumber() const;

    /// @return the number that is next, behind @p sign
    template <typename Number>
    Number ReadNumber(const std::string& sign, const std::string& expected) const
    {
        const std::string digits = sign + std::string(m_token.text);
        Number number{};
        const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (result.ec != std::errc())
        {
            FailHere(expected);
        }
        return number;
    }

    [[noreturn]] void FailHere(const std::string& expected) const;

    /// Fails where an operand should begin: "expected a value after '='".
    [[noreturn]] void FailOperand(const std::string& expected) const;

  private:
    std::string Describe() const;

    Lexer m_lexer;
    Token m_token;
    Token m_previous;
};

} // namespace mftpubsub::filters

#endif /* MFTPUBSUB_CONTENT_FILTER_TOKENS_H */

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "helper/event-text.h"

#include "content/filter-tokens.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace mftpubsub
{

namespace
{

using filters::TokenKind;
using filters::Tokens;

const std::string VALUE = "a value, as 12, 1.5, true or 'text',";

Value
ReadValue(Tokens& tokens)
{
    const std::string sign = tokens.Accept("-") ? "-" : "";
    Value value;
    if (tokens.Get().kind == TokenKind::INTEGER)
    {
        value = tokens.ReadNumber<int64_t>(sign, "an integer of 64 bits");
    }
    else if (tokens.Get().kind == TokenKind::REAL)
    {
        value = tokens.ReadNumber<double>(sign, "a number that a double holds");
    }
    else if (tokens.Get().kind == TokenKind::STRING && sign.empty())
    {
        value = filters::Unquote(tokens.Get().text);
    }
    else if (const auto isTrue = tokens.Get().Is("TRUE");
             (isTrue || tokens.Get().Is("FALSE")) && sign.empty())
    {
        value = isTrue;
    }
    else
    {
        tokens.FailOperand(VALUE);
    }
    tokens.Advance();
    return value;
}

std::string
ToText(double real)
{
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), real).ptr;
    const std::string text(digits.data(), end);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string
ToText(int64_t whole)
{
    return std::to_string(whole);
}

std::string
ToText(bool truth)
{
    return truth ? "true" : "false";
}

std::string
ToText(const std::string& text)
{
    std::string quoted;
    for (const auto c : text)
    {
        quoted += c == '\'' ? "''" : std::string(1, c);
    }
    return "'" + quoted + "'";
}

} // namespace

Attributes
ParseAttributes(std::string_view text)
{
    Tokens tokens(text);
    Attributes attributes;
    do
    {
        const auto name = tokens.Get();
        if (name.kind != TokenKind::ATTRIBUTE)
        {
            tokens.FailOperand("the name of an attribute");
        }
        if (std::ranges::find(attributes, name.text, &Attributes::value_type::first) !=
            attributes.end())
        {
            tokens.FailHere("another attribute");
        }
        tokens.Advance();
        tokens.Expect("=");
        attributes.emplace_back(std::string(name.text), ReadValue(tokens));
    } while (tokens.Accept(","));
    if (tokens.Get().kind != TokenKind::END)
    {
        tokens.FailOperand("',' or the end");
    }
    return attributes;
}

std::string
ToText(const Attributes& attributes)
{
    std::string text;
    for (const auto& [name, value] : attributes)
    {
        text += text.empty() ? "" : ", ";
        text += name + " = " + std::visit([](const auto& of) { return ToText(of); }, value);
    }
    return text;
}

} // namespace mftpubsub

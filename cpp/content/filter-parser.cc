/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/filter-parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <system_error>
#include <unordered_map>

namespace mftpubsub
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

[[noreturn]] void
Fail(const std::string& expected, size_t position, const std::string& found)
{
    throw FilterError("expected " + expected + " at position " + std::to_string(position) +
                          ", found " + found,
                      position);
}

/// @return @p text as an error message shows it, shortened and printable
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

/// Cuts a filter's text into tokens.
class Lexer
{
  public:
    explicit Lexer(std::string_view text)
        : m_text(text)
    {
    }

    Token Next()
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

  private:
    char At(size_t position) const
    {
        return position < m_text.size() ? m_text[position] : ' ';
    }

    size_t SkipFrom(size_t position, std::string_view characters) const
    {
        return std::min(m_text.find_first_not_of(characters, position), m_text.size());
    }

    Token Take(TokenKind kind, size_t end)
    {
        const size_t position = m_position;
        m_position = end;
        return {kind, position, m_text.substr(position, end - position)};
    }

    Token ReadString()
    {
        size_t end = m_position + 1;
        while (true)
        {
            end = m_text.find('\'', end);
            if (end == std::string_view::npos)
            {
                Fail("a closing quote for the string begun at position " +
                         std::to_string(m_position),
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

    Token ReadNumber()
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

    Token ReadWord()
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

    Token ReadSymbol()
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

    std::string Found(size_t position) const
    {
        return position < m_text.size() ? Quote(m_text.substr(position, 1)) : "end of text";
    }

    std::string_view m_text;
    size_t m_position{0};
};

/// How tightly operators bind, loosest first.
enum Power : int
{
    NOTHING,
    DISJUNCTION,
    CONJUNCTION,
    NEGATION,
    COMPARISON,
    SUM,
    PRODUCT,
    SIGN,
};

struct Infix
{
    std::string_view symbol;
    Power power;
    Node::Kind kind;
};

/// The operators between two operands. NOT stands for NOT BETWEEN, NOT IN and NOT LIKE.
constexpr std::array<Infix, 17> INFIXES{{
    {"OR", DISJUNCTION, Node::Kind::OR},
    {"AND", CONJUNCTION, Node::Kind::AND},
    {"=", COMPARISON, Node::Kind::EQUAL},
    {"<>", COMPARISON, Node::Kind::NOT_EQUAL},
    {"<", COMPARISON, Node::Kind::LESS},
    {"<=", COMPARISON, Node::Kind::LESS_EQUAL},
    {">", COMPARISON, Node::Kind::GREATER},
    {">=", COMPARISON, Node::Kind::GREATER_EQUAL},
    {"NOT", COMPARISON, Node::Kind::NOT},
    {"BETWEEN", COMPARISON, Node::Kind::AND},
    {"IN", COMPARISON, Node::Kind::IN},
    {"LIKE", COMPARISON, Node::Kind::LIKE},
    {"IS", COMPARISON, Node::Kind::IS_NULL},
    {"+", SUM, Node::Kind::ADD},
    {"-", SUM, Node::Kind::SUBTRACT},
    {"*", PRODUCT, Node::Kind::MULTIPLY},
    {"/", PRODUCT, Node::Kind::DIVIDE},
}};

const Infix*
FindInfix(const Token& token)
{
    const auto* found =
        std::ranges::find_if(INFIXES, [&](const Infix& infix) { return token.Is(infix.symbol); });
    return found == INFIXES.end() ? nullptr : found;
}

bool
IsCondition(Node::Kind kind)
{
    return kind >= Node::Kind::EQUAL || kind == Node::Kind::ATTRIBUTE ||
           kind == Node::Kind::BOOLEAN;
}

bool
IsValue(Node::Kind kind)
{
    return kind < Node::Kind::EQUAL;
}

/// Precedence climbing; an operator's node is put in front of its first operand once it is met.
class Parser
{
  public:
    explicit Parser(std::string_view text)
        : m_lexer(text),
          m_token(m_lexer.Next())
    {
    }

    Condition Run()
    {
        ParseTruth(NOTHING);
        if (m_token.kind != TokenKind::END)
        {
            FailHere("an operator or the end of the text");
        }
        m_condition.attributeCount = static_cast<uint16_t>(m_attributes.size());
        m_condition.nodes.shrink_to_fit();
        m_condition.text.shrink_to_fit();
        return std::move(m_condition);
    }

  private:
    /// A parsed operand: where its nodes and its text begin, and how deep its tree is.
    struct Operand
    {
        size_t node;
        size_t position;
        int depth;
    };

    // --- Tokens

    void Advance()
    {
        m_previous = m_token;
        m_token = m_lexer.Next();
    }

    bool Accept(std::string_view keywordOrSymbol)
    {
        const bool accepted = m_token.Is(keywordOrSymbol);
        if (accepted)
        {
            Advance();
        }
        return accepted;
    }

    void Expect(std::string_view keywordOrSymbol)
    {
        if (!Accept(keywordOrSymbol))
        {
            FailHere(Quote(keywordOrSymbol));
        }
    }

    [[noreturn]] void FailHere(const std::string& expected) const
    {
        Fail(expected, m_token.position, DescribeToken());
    }

    /// Fails where an operand should begin: "expected a value after '='".
    [[noreturn]] void FailOperand(const std::string& expected) const
    {
        FailHere(m_previous.text.empty() ? expected
                                         : expected + " after " + Quote(m_previous.text));
    }

    std::string DescribeToken() const
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

    // --- Expressions

    Operand ParseTruth(Power power)
    {
        const Operand operand = Parse(power, "a condition");
        RequireCondition(operand);
        return operand;
    }

    Operand ParseValue(Power power)
    {
        const Operand operand = Parse(power, "a value");
        RequireValue(operand);
        return operand;
    }

    void RequireCondition(const Operand& operand) const
    {
        if (!IsCondition(m_condition.nodes[operand.node].kind))
        {
            Fail("a condition", operand.position, "a value");
        }
    }

    void RequireValue(const Operand& operand) const
    {
        if (!IsValue(m_condition.nodes[operand.node].kind))
        {
            Fail("a value", operand.position, "a condition");
        }
    }

    /// Parses operands joined by operators that bind tighter than @p power.
    Operand Parse(Power power, const std::string& expected)
    {
        CheckDepth(++m_nesting, m_token.position);
        Operand left = ParsePrefix(expected);
        for (const Infix* infix = FindInfix(m_token); infix && infix->power > power;
             infix = FindInfix(m_token))
        {
            const size_t position = m_token.position;
            left.depth = 1 + ParseInfix(*infix, left);
            CheckDepth(left.depth, position);
        }
        --m_nesting;
        return left;
    }

    static void CheckDepth(int depth, size_t position)
    {
        if (depth > MAX_FILTER_DEPTH)
        {
            Fail("at most " + std::to_string(MAX_FILTER_DEPTH) +
                     " levels of operators and parentheses",
                 position,
                 "one more");
        }
    }

    Operand ParsePrefix(const std::string& expected)
    {
        Operand operand{m_condition.nodes.size(), m_token.position, 1};
        if (Accept("("))
        {
            operand.depth = Parse(NOTHING, expected).depth;
            Expect(")");
        }
        else if (Accept("NOT"))
        {
            operand.depth = 1 + ParseTruth(NEGATION).depth;
            PutInFront(operand.node, Node::Kind::NOT);
        }
        else if (m_token.Is("+") || m_token.Is("-"))
        {
            operand.depth = 1 + ParseSign();
        }
        else if (m_token.kind == TokenKind::ATTRIBUTE)
        {
            AddAttribute();
        }
        else if (!AcceptLiteral(""))
        {
            FailOperand(expected);
        }
        return operand;
    }

    /// @return the depth of the tree under the sign
    int ParseSign()
    {
        const bool negative = m_token.Is("-");
        Advance();
        if (IsNumber())
        {
            AcceptLiteral(negative ? "-" : "");
            return 0;
        }
        const size_t front = m_condition.nodes.size();
        Add(Node::Kind::INTEGER);
        const int depth = ParseValue(SIGN).depth;
        PutInFront(front, negative ? Node::Kind::SUBTRACT : Node::Kind::ADD);
        return depth;
    }

    /// @return the greatest depth among the operands
    int ParseInfix(const Infix& infix, const Operand& left)
    {
        const Token before = m_token;
        if (infix.power <= CONJUNCTION)
        {
            RequireCondition(left);
        }
        else
        {
            RequireValue(left);
        }
        Advance();
        switch (infix.kind)
        {
        case Node::Kind::OR:
        case Node::Kind::AND:
            return before.Is("BETWEEN") ? ParseBetween(left) : ParseJunction(infix, left);
        case Node::Kind::NOT:
            return ParseNot(left);
        case Node::Kind::IN:
            return ParseIn(left);
        case Node::Kind::LIKE:
            return ParseLike(left);
        case Node::Kind::IS_NULL:
            return ParseIsNull(left);
        default:
            return ParseBinary(infix, left);
        }
    }

    int ParseBinary(const Infix& infix, const Operand& left)
    {
        const int depth = ParseValue(infix.power).depth;
        PutInFront(left.node, infix.kind);
        return std::max(left.depth, depth);
    }

    /// a AND b AND c is one node with three children, however it is put in parentheses.
    int ParseJunction(const Infix& infix, const Operand& left)
    {
        auto& nodes = m_condition.nodes;
        const Operand right = ParseTruth(infix.power);
        if (nodes[right.node].kind == infix.kind)
        {
            nodes.erase(nodes.begin() + static_cast<ptrdiff_t>(right.node));
        }
        if (nodes[left.node].kind == infix.kind)
        {
            Close(left.node);
            return std::max(left.depth - 1, right.depth);
        }
        PutInFront(left.node, infix.kind);
        return std::max(left.depth, right.depth);
    }

    int ParseNot(const Operand& left)
    {
        const Infix* infix = FindInfix(m_token);
        if (!m_token.Is("BETWEEN") && !m_token.Is("IN") && !m_token.Is("LIKE"))
        {
            FailHere("BETWEEN, IN or LIKE after 'NOT'");
        }
        const int depth = 1 + ParseInfix(*infix, left);
        PutInFront(left.node, Node::Kind::NOT);
        return depth;
    }

    /// x BETWEEN a AND b is x >= a AND x <= b (SQL-92 8.3).
    int ParseBetween(const Operand& left)
    {
        auto& nodes = m_condition.nodes;
        const std::vector<Node> value(nodes.begin() + static_cast<ptrdiff_t>(left.node),
                                      nodes.end());
        const Operand low = ParseValue(COMPARISON);
        Expect("AND");
        PutInFront(left.node, Node::Kind::GREATER_EQUAL);
        const size_t second = nodes.size();
        nodes.insert(nodes.end(), value.begin(), value.end());
        const Operand high = ParseValue(COMPARISON);
        PutInFront(second, Node::Kind::LESS_EQUAL);
        PutInFront(left.node, Node::Kind::AND);
        return 1 + std::max({left.depth, low.depth, high.depth});
    }

    int ParseIn(const Operand& left)
    {
        Expect("(");
        do
        {
            const bool negative = m_token.Is("-");
            const bool sign = Accept("-") || Accept("+");
            if ((sign && !IsNumber()) || !AcceptLiteral(negative ? "-" : ""))
            {
                FailOperand("a literal");
            }
        } while (Accept(","));
        if (!Accept(")"))
        {
            FailHere("',' or ')'");
        }
        PutInFront(left.node, Node::Kind::IN);
        return left.depth;
    }

    int ParseLike(const Operand& left)
    {
        const Token pattern = m_token;
        if (pattern.kind != TokenKind::STRING)
        {
            FailOperand("a pattern in quotes");
        }
        Advance();
        Add(Node::Kind::STRING).span = AddText(ToPattern(pattern, ParseEscape()));
        PutInFront(left.node, Node::Kind::LIKE);
        return left.depth;
    }

    /// @return the escape character, if there is one
    std::string ParseEscape()
    {
        if (!Accept("ESCAPE"))
        {
            return "";
        }
        const std::string escape =
            m_token.kind == TokenKind::STRING ? Unquote(m_token.text) : std::string();
        const auto isContinuation = [](unsigned char c) { return (c & 0xc0) == 0x80; };
        if (escape.empty() || !std::all_of(escape.begin() + 1, escape.end(), isContinuation))
        {
            FailOperand("one character in quotes");
        }
        Advance();
        return escape;
    }

    /// Rewrites a LIKE pattern so that '\' is its escape character.
    static std::string ToPattern(const Token& token, const std::string& escape)
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

    int ParseIsNull(const Operand& left)
    {
        const bool negated = Accept("NOT");
        Expect("NULL");
        if (m_condition.nodes[left.node].kind != Node::Kind::ATTRIBUTE)
        {
            Fail("an attribute before 'IS'", left.position, "another value");
        }
        PutInFront(left.node, Node::Kind::IS_NULL);
        if (negated)
        {
            PutInFront(left.node, Node::Kind::NOT);
        }
        return left.depth + 1;
    }

    // --- Leaves

    bool IsNumber() const
    {
        return m_token.kind == TokenKind::INTEGER || m_token.kind == TokenKind::REAL;
    }

    bool AcceptLiteral(const std::string& sign)
    {
        if (m_token.kind == TokenKind::INTEGER)
        {
            Add(Node::Kind::INTEGER).integer = ReadNumber<int64_t>(sign, "a 64-bit integer");
        }
        else if (m_token.kind == TokenKind::REAL)
        {
            Add(Node::Kind::REAL).real = ReadNumber<double>(sign, "a 64-bit floating-point number");
        }
        else if (m_token.kind == TokenKind::STRING)
        {
            Add(Node::Kind::STRING).span = AddText(Unquote(m_token.text));
        }
        else if (m_token.Is("TRUE") || m_token.Is("FALSE"))
        {
            Add(Node::Kind::BOOLEAN).boolean = m_token.Is("TRUE");
        }
        else
        {
            return false;
        }
        Advance();
        return true;
    }

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

    static std::string Unquote(std::string_view literal)
    {
        std::string text;
        for (size_t i = 1; i + 1 < literal.size(); ++i)
        {
            text += literal[i];
            i += literal[i] == '\'' ? 1 : 0;
        }
        return text;
    }

    void AddAttribute()
    {
        const auto number = static_cast<uint16_t>(m_attributes.size());
        const auto [known, isNew] = m_attributes.try_emplace(m_token.text, Node());
        if (isNew)
        {
            known->second.kind = Node::Kind::ATTRIBUTE;
            known->second.attribute = number;
            known->second.span = AddText(m_token.text);
        }
        m_condition.nodes.push_back(known->second);
        Advance();
    }

    Node& Add(Node::Kind kind)
    {
        Node node{};
        node.kind = kind;
        m_condition.nodes.push_back(node);
        return m_condition.nodes.back();
    }

    Node::Span AddText(std::string_view text)
    {
        const auto offset = static_cast<uint32_t>(m_condition.text.size());
        m_condition.text += text;
        return {offset, static_cast<uint32_t>(text.size())};
    }

    void PutInFront(size_t front, Node::Kind kind)
    {
        Node node{};
        node.kind = kind;
        m_condition.nodes.insert(m_condition.nodes.begin() + static_cast<ptrdiff_t>(front), node);
        Close(front);
    }

    void Close(size_t front)
    {
        m_condition.nodes[front].size = static_cast<uint32_t>(m_condition.nodes.size() - front);
    }

    Lexer m_lexer;
    Token m_token;
    Token m_previous;
    int m_nesting{0};
    Condition m_condition;
    std::unordered_map<std::string_view, Node> m_attributes;
};

} // namespace

Condition
ParseCondition(std::string_view text)
{
    if (text.size() > MAX_FILTER_BYTES)
    {
        Fail("the end of the text (a filter has at most " + std::to_string(MAX_FILTER_BYTES) +
                 " bytes)",
             MAX_FILTER_BYTES,
             std::to_string(text.size() - MAX_FILTER_BYTES) + " bytes more");
    }
    return Parser(text).Run();
}

} // namespace mftpubsub

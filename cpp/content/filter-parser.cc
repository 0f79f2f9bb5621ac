/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/filter-parser.h"

#include "content/filter-tokens.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

namespace mftpubsub
{
namespace
{

using namespace filters;

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
        : m_tokens(text)
    {
    }

    Condition Run()
    {
        ParseTruth(NOTHING);
        if (m_tokens.Get().kind != TokenKind::END)
        {
            m_tokens.FailHere("an operator or the end of the text");
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
        CheckDepth(++m_nesting, m_tokens.Get().position);
        Operand left = ParsePrefix(expected);
        for (const Infix* infix = FindInfix(m_tokens.Get()); infix && infix->power > power;
             infix = FindInfix(m_tokens.Get()))
        {
            const size_t position = m_tokens.Get().position;
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
        Operand operand{m_condition.nodes.size(), m_tokens.Get().position, 1};
        if (m_tokens.Accept("("))
        {
            operand.depth = Parse(NOTHING, expected).depth;
            m_tokens.Expect(")");
        }
        else if (m_tokens.Accept("NOT"))
        {
            operand.depth = 1 + ParseTruth(NEGATION).depth;
            PutInFront(operand.node, Node::Kind::NOT);
        }
        else if (m_tokens.Get().Is("+") || m_tokens.Get().Is("-"))
        {
            operand.depth = 1 + ParseSign();
        }
        else if (m_tokens.Get().kind == TokenKind::ATTRIBUTE)
        {
            AddAttribute();
        }
        else if (!AcceptLiteral(""))
        {
            m_tokens.FailOperand(expected);
        }
        return operand;
    }

    /// @return the depth of the tree under the sign
    int ParseSign()
    {
        const bool negative = m_tokens.Get().Is("-");
        m_tokens.Advance();
        if (m_tokens.IsNumber())
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
        const Token before = m_tokens.Get();
        if (infix.power <= CONJUNCTION)
        {
            RequireCondition(left);
        }
        else
        {
            RequireValue(left);
        }
        m_tokens.Advance();
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
        const Infix* infix = FindInfix(m_tokens.Get());
        if (!m_tokens.Get().Is("BETWEEN") && !m_tokens.Get().Is("IN") && !m_tokens.Get().Is("LIKE"))
        {
            m_tokens.FailHere("BETWEEN, IN or LIKE after 'NOT'");
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
        m_tokens.Expect("AND");
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
        m_tokens.Expect("(");
        do
        {
            const bool negative = m_tokens.Get().Is("-");
            const bool sign = m_tokens.Accept("-") || m_tokens.Accept("+");
            if ((sign && !m_tokens.IsNumber()) || !AcceptLiteral(negative ? "-" : ""))
            {
                m_tokens.FailOperand("a literal");
            }
        } while (m_tokens.Accept(","));
        if (!m_tokens.Accept(")"))
        {
            m_tokens.FailHere("',' or ')'");
        }
        PutInFront(left.node, Node::Kind::IN);
        return left.depth;
    }

    int ParseLike(const Operand& left)
    {
        const Token pattern = m_tokens.Get();
        if (pattern.kind != TokenKind::STRING)
        {
            m_tokens.FailOperand("a pattern in quotes");
        }
        m_tokens.Advance();
        Add(Node::Kind::STRING).span = AddText(ToPattern(pattern, ParseEscape()));
        PutInFront(left.node, Node::Kind::LIKE);
        return left.depth;
    }

    /// @return the escape character, if there is one
    std::string ParseEscape()
    {
        if (!m_tokens.Accept("ESCAPE"))
        {
            return "";
        }
        const std::string escape =
            m_tokens.Get().kind == TokenKind::STRING ? Unquote(m_tokens.Get().text) : std::string();
        const auto isContinuation = [](unsigned char c) { return (c & 0xc0) == 0x80; };
        if (escape.empty() || !std::all_of(escape.begin() + 1, escape.end(), isContinuation))
        {
            m_tokens.FailOperand("one character in quotes");
        }
        m_tokens.Advance();
        return escape;
    }

    int ParseIsNull(const Operand& left)
    {
        const bool negated = m_tokens.Accept("NOT");
        m_tokens.Expect("NULL");
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

    bool AcceptLiteral(const std::string& sign)
    {
        if (m_tokens.Get().kind == TokenKind::INTEGER)
        {
            Add(Node::Kind::INTEGER).integer =
                m_tokens.ReadNumber<int64_t>(sign, "a 64-bit integer");
        }
        else if (m_tokens.Get().kind == TokenKind::REAL)
        {
            Add(Node::Kind::REAL).real =
                m_tokens.ReadNumber<double>(sign, "a 64-bit floating-point number");
        }
        else if (m_tokens.Get().kind == TokenKind::STRING)
        {
            Add(Node::Kind::STRING).span = AddText(Unquote(m_tokens.Get().text));
        }
        else if (m_tokens.Get().Is("TRUE") || m_tokens.Get().Is("FALSE"))
        {
            Add(Node::Kind::BOOLEAN).boolean = m_tokens.Get().Is("TRUE");
        }
        else
        {
            return false;
        }
        m_tokens.Advance();
        return true;
    }

    void AddAttribute()
    {
        const auto number = static_cast<uint16_t>(m_attributes.size());
        const auto [known, isNew] = m_attributes.try_emplace(m_tokens.Get().text, Node());
        if (isNew)
        {
            known->second.kind = Node::Kind::ATTRIBUTE;
            known->second.attribute = number;
            known->second.span = AddText(m_tokens.Get().text);
        }
        m_condition.nodes.push_back(known->second);
        m_tokens.Advance();
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

    Tokens m_tokens;
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

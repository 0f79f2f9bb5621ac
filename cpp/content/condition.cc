/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/condition.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace mftpubsub
{
namespace
{

constexpr Truth
ToTruth(bool value)
{
    return value ? Truth::TRUE_ : Truth::FALSE_;
}

constexpr Truth
Not(Truth truth)
{
    return static_cast<Truth>(static_cast<int>(Truth::TRUE_) - static_cast<int>(truth));
}

Scalar
CalculateIntegers(Node::Kind kind, int64_t left, int64_t right)
{
    int64_t result = 0;
    bool undefined = false;
    switch (kind)
    {
    case Node::Kind::ADD:
        undefined = __builtin_add_overflow(left, right, &result);
        break;
    case Node::Kind::SUBTRACT:
        undefined = __builtin_sub_overflow(left, right, &result);
        break;
    case Node::Kind::MULTIPLY:
        undefined = __builtin_mul_overflow(left, right, &result);
        break;
    default:
        undefined = right == 0 || (right == -1 && left == std::numeric_limits<int64_t>::min());
        result = undefined ? 0 : left / right;
    }
    return undefined ? Scalar() : Scalar(result);
}

Scalar
CalculateReals(Node::Kind kind, double left, double right)
{
    switch (kind)
    {
    case Node::Kind::ADD:
        return left + right;
    case Node::Kind::SUBTRACT:
        return left - right;
    case Node::Kind::MULTIPLY:
        return left * right;
    default:
        return right == 0 ? Scalar() : Scalar(left / right);
    }
}

Scalar
Calculate(Node::Kind kind, const Scalar& left, const Scalar& right)
{
    return std::visit(
        [kind](auto l, auto r) -> Scalar {
            using L = decltype(l);
            using R = decltype(r);
            constexpr bool numbers = (std::is_same_v<L, int64_t> || std::is_same_v<L, double>) &&
                                     (std::is_same_v<R, int64_t> || std::is_same_v<R, double>);
            if constexpr (std::is_same_v<L, int64_t> && std::is_same_v<R, int64_t>)
            {
                return CalculateIntegers(kind, l, r);
            }
            else if constexpr (numbers)
            {
                return CalculateReals(kind, static_cast<double>(l), static_cast<double>(r));
            }
            else
            {
                return {};
            }
        },
        left,
        right);
}

Truth
Compare(Node::Kind kind, std::partial_ordering order)
{
    if (order == std::partial_ordering::unordered)
    {
        return Truth::UNKNOWN;
    }
    switch (kind)
    {
    case Node::Kind::EQUAL:
        return ToTruth(order == 0);
    case Node::Kind::NOT_EQUAL:
        return ToTruth(order != 0);
    case Node::Kind::LESS:
        return ToTruth(order < 0);
    case Node::Kind::LESS_EQUAL:
        return ToTruth(order <= 0);
    case Node::Kind::GREATER:
        return ToTruth(order > 0);
    default:
        return ToTruth(order >= 0);
    }
}

/// Strings and booleans are equal or not; they have no order.
Truth
CompareEquality(Node::Kind kind, bool equal)
{
    switch (kind)
    {
    case Node::Kind::EQUAL:
        return ToTruth(equal);
    case Node::Kind::NOT_EQUAL:
        return ToTruth(!equal);
    default:
        return Truth::UNKNOWN;
    }
}

Truth
Compare(Node::Kind kind, const Scalar& left, const Scalar& right)
{
    return std::visit(
        [kind](auto l, auto r) -> Truth {
            using L = decltype(l);
            using R = decltype(r);
            constexpr bool number = std::is_same_v<L, int64_t> || std::is_same_v<L, double>;
            if constexpr (std::is_same_v<L, std::monostate> || std::is_same_v<R, std::monostate>)
            {
                return Truth::UNKNOWN;
            }
            else if constexpr (std::is_same_v<L, R> && number)
            {
                return Compare(kind, std::partial_ordering(l <=> r));
            }
            else if constexpr (std::is_same_v<L, R>)
            {
                return CompareEquality(kind, l == r);
            }
            else if constexpr (std::is_same_v<L, int64_t> && std::is_same_v<R, double>)
            {
                return Compare(kind, CompareNumbers(l, r));
            }
            else if constexpr (std::is_same_v<L, double> && std::is_same_v<R, int64_t>)
            {
                return Compare(kind, 0 <=> CompareNumbers(r, l));
            }
            else
            {
                return Truth::UNKNOWN;
            }
        },
        left,
        right);
}

/// Removes the first character (of one or more bytes, in UTF-8) of @p text.
void
DropCharacter(std::string_view& text)
{
    do
    {
        text.remove_prefix(1);
    } while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xc0) == 0x80);
}

/// Matches one element of @p pattern that is no '%', and moves on in both when it fits.
bool
MatchElement(std::string_view& text, std::string_view& pattern)
{
    if (text.empty() || pattern.empty())
    {
        return false;
    }
    if (pattern.front() == '_')
    {
        DropCharacter(text);
        pattern.remove_prefix(1);
        return true;
    }
    const size_t escaped = pattern.front() == '\\' ? 1 : 0;
    if (text.front() != pattern[escaped])
    {
        return false;
    }
    text.remove_prefix(1);
    pattern.remove_prefix(escaped + 1);
    return true;
}

/// Greedy matching: only the last '%' met ever has to take more.
bool
IsLike(std::string_view text, std::string_view pattern)
{
    bool wildcard = false;
    std::string_view retryText;
    std::string_view retryPattern;
    while (!text.empty() || !pattern.empty())
    {
        if (!pattern.empty() && pattern.front() == '%')
        {
            pattern.remove_prefix(1);
            wildcard = true;
            retryText = text;
            retryPattern = pattern;
        }
        else if (!MatchElement(text, pattern))
        {
            if (!wildcard || retryText.empty())
            {
                return false;
            }
            DropCharacter(retryText);
            text = retryText;
            pattern = retryPattern;
        }
    }
    return true;
}

Truth
EvaluateIn(const Condition& condition, const Node& node, const AttributeSource& attributes)
{
    const Scalar value = EvaluateValue(condition, *node.First(), attributes);
    Truth result = Truth::FALSE_;
    for (const Node* item = node.Second(); item != node.End() && result != Truth::TRUE_; ++item)
    {
        result = std::max(
            result,
            Compare(Node::Kind::EQUAL, value, EvaluateValue(condition, *item, attributes)));
    }
    return result;
}

Truth
EvaluateLike(const Condition& condition, const Node& node, const AttributeSource& attributes)
{
    const Scalar value = EvaluateValue(condition, *node.First(), attributes);
    const auto* text = std::get_if<std::string_view>(&value);
    return text ? ToTruth(IsLike(*text, condition.GetText(*node.Second()))) : Truth::UNKNOWN;
}

/// AND is the least, OR the greatest truth value of its children.
Truth
EvaluateJunction(const Condition& condition, const Node& node, const AttributeSource& attributes)
{
    const bool isAnd = node.kind == Node::Kind::AND;
    const Truth decided = isAnd ? Truth::FALSE_ : Truth::TRUE_;
    Truth result = Not(decided);
    for (const Node* child = node.First(); child != node.End() && result != decided;
         child = child->End())
    {
        const Truth truth = EvaluateTruth(condition, *child, attributes);
        result = isAnd ? std::min(result, truth) : std::max(result, truth);
    }
    return result;
}

} // namespace

Scalar
ToScalar(const Value& value)
{
    return std::visit(
        [](const auto& v) -> Scalar {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::string>)
            {
                return std::string_view(v);
            }
            else
            {
                return v;
            }
        },
        value);
}

std::partial_ordering
CompareNumbers(int64_t left, double right)
{
    constexpr double limit = 0x1p63;
    if (std::isnan(right))
    {
        return std::partial_ordering::unordered;
    }
    if (right >= limit)
    {
        return std::partial_ordering::less;
    }
    if (right < -limit)
    {
        return std::partial_ordering::greater;
    }
    const double whole = std::trunc(right);
    const auto integer = static_cast<int64_t>(whole);
    return left != integer ? std::partial_ordering(left <=> integer) : whole <=> right;
}

Scalar
EvaluateValue(const Condition& condition, const Node& node, const AttributeSource& attributes)
{
    switch (node.kind)
    {
    case Node::Kind::INTEGER:
        return node.integer;
    case Node::Kind::REAL:
        return node.real;
    case Node::Kind::STRING:
        return condition.GetText(node);
    case Node::Kind::BOOLEAN:
        return node.boolean;
    case Node::Kind::ATTRIBUTE: {
        const Value* value = attributes.Find(condition, node);
        return value ? ToScalar(*value) : Scalar();
    }
    default:
        return Calculate(node.kind,
                         EvaluateValue(condition, *node.First(), attributes),
                         EvaluateValue(condition, *node.Second(), attributes));
    }
}

Truth
EvaluateTruth(const Condition& condition, const Node& node, const AttributeSource& attributes)
{
    switch (node.kind)
    {
    case Node::Kind::AND:
    case Node::Kind::OR:
        return EvaluateJunction(condition, node, attributes);
    case Node::Kind::NOT:
        return Not(EvaluateTruth(condition, *node.First(), attributes));
    case Node::Kind::IN:
        return EvaluateIn(condition, node, attributes);
    case Node::Kind::LIKE:
        return EvaluateLike(condition, node, attributes);
    case Node::Kind::IS_NULL:
        return ToTruth(!attributes.Find(condition, *node.First()));
    case Node::Kind::ATTRIBUTE:
    case Node::Kind::BOOLEAN: {
        const Scalar value = EvaluateValue(condition, node, attributes);
        const bool* truth = std::get_if<bool>(&value);
        return truth ? ToTruth(*truth) : Truth::UNKNOWN;
    }
    default:
        return Compare(node.kind,
                       EvaluateValue(condition, *node.First(), attributes),
                       EvaluateValue(condition, *node.Second(), attributes));
    }
}

} // namespace mftpubsub

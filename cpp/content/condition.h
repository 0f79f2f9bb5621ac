/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_CONDITION_H
#define MFTPUBSUB_CONTENT_CONDITION_H

#include "content/event.h"
#include "content/filter.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mftpubsub
{

/// One step of a parsed condition: a literal, an attribute or an operator over the nodes behind it.
struct Node
{
    /// What a node is, and how many children it has.
    enum class Kind : uint8_t
    {
        INTEGER,
        REAL,
        STRING,
        BOOLEAN,
        ATTRIBUTE,
        ADD, //!< arithmetic: two values; unary signs are written 0 + x and 0 - x
        SUBTRACT,
        MULTIPLY,
        DIVIDE,
        EQUAL, //!< comparisons: two values
        NOT_EQUAL,
        LESS,
        LESS_EQUAL,
        GREATER,
        GREATER_EQUAL,
        IN,      //!< a value, then the literals
        LIKE,    //!< a value, then the pattern, in which '\' escapes
        IS_NULL, //!< an attribute
        NOT,     //!< a condition
        AND,     //!< two or more conditions, none of them an AND
        OR,      //!< two or more conditions, none of them an OR
    };

    /// Where a string or an attribute's name stands in Condition::text.
    struct Span
    {
        uint32_t offset;
        uint32_t length;
    };

    Kind kind;
    uint16_t attribute{0}; //!< of an attribute: its number among the condition's attributes
    uint32_t size{1};      //!< nodes in this subtree, this one included

    union {
        int64_t integer{0};
        double real;
        bool boolean;
        Span span;
    };

    /// @return the node behind this subtree
    const Node* End() const
    {
        return this + size;
    }

    /// @return the first child, if there is one
    const Node* First() const
    {
        return this + 1;
    }

    /// @return the second child, if there is one
    const Node* Second() const
    {
        return First()->End();
    }
};

/**
 * A parsed condition: its tree in prefix order, so that a condition is one block of memory that is
 * walked without following pointers. Attributes and booleans are conditions as well as values.
 */
struct Condition
{
    std::string text;           //!< attribute names and string literals, one after the other
    std::vector<Node> nodes;    //!< the tree; the root is in front
    uint16_t attributeCount{0}; //!< number of different attributes

    /// @return the name of an attribute, or the text of a string literal
    std::string_view GetText(const Node& node) const
    {
        return std::string_view(text).substr(node.span.offset, node.span.length);
    }
};

/// Where a condition finds the values of its attributes.
class AttributeSource
{
  public:
    virtual ~AttributeSource() = default;

    /// @return the value of the attribute that @p node names, or nullptr
    virtual const Value* Find(const Condition& condition, const Node& node) const = 0;
};

/// What a value expression gives: nothing (SQL's NULL), or a value.
using Scalar = std::variant<std::monostate, int64_t, double, std::string_view, bool>;

/// @return @p value, whose text is not copied
Scalar ToScalar(const Value& value);

/// @return the value of the expression at @p node; NULL on overflow and on division by zero
Scalar EvaluateValue(const Condition& condition,
                     const Node& node,
                     const AttributeSource& attributes);

/// @return the truth value of the condition at @p node
Truth EvaluateTruth(const Condition& condition,
                    const Node& node,
                    const AttributeSource& attributes);

/// Compares numbers exactly, without rounding the integer; NaN is unordered.
std::partial_ordering CompareNumbers(int64_t left, double right);

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_CONDITION_H */

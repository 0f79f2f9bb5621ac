/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/filter-types.h"

#include "content/condition.h"

#include <sstream>

namespace mftpubsub
{

namespace
{

constexpr TypeSet ANY_TYPE = NUMBER_TYPE | TEXT_TYPE | BOOLEAN_TYPE;

/// Walks a condition, and remembers the first part that no event makes true or false.
class TypeCheck
{
  public:
    TypeCheck(const Condition& condition, const AttributeTypes& types)
        : m_condition(condition),
          m_types(types)
    {
    }

    /// @return what is wrong with the condition at @p node or below; empty if nothing is
    std::string CheckCondition(const Node& node)
    {
        switch (node.kind)
        {
        case Node::Kind::AND:
        case Node::Kind::OR:
        case Node::Kind::NOT:
            for (const Node* child = node.First(); child != node.End(); child = child->End())
            {
                if (auto problem = CheckCondition(*child); !problem.empty())
                {
                    return problem;
                }
            }
            return "";
        case Node::Kind::IN:
            return CheckIn(node);
        case Node::Kind::LIKE:
            return Require(*node.First(), TEXT_TYPE, "LIKE");
        case Node::Kind::IS_NULL:
            return "";
        case Node::Kind::ATTRIBUTE:
        case Node::Kind::BOOLEAN:
            return Require(node, BOOLEAN_TYPE, "a condition");
        case Node::Kind::EQUAL:
        case Node::Kind::NOT_EQUAL:
            return CheckComparison(*node.First(), *node.Second());
        default:
            return CheckOrder(*node.First(), *node.Second());
        }
    }

  private:
    std::string CheckComparison(const Node& left, const Node& right)
    {
        for (const Node* side : {&left, &right})
        {
            if (auto problem = CheckValue(*side); !problem.empty())
            {
                return problem;
            }
        }
        if (GetTypes(left) & GetTypes(right))
        {
            return "";
        }
        return Describe(left) + " is never compared with " + Describe(right);
    }

    std::string CheckOrder(const Node& left, const Node& right)
    {
        if (auto problem = CheckComparison(left, right); !problem.empty())
        {
            return problem;
        }
        for (const Node* side : {&left, &right})
        {
            if (auto problem = Require(*side, NUMBER_TYPE, "an order"); !problem.empty())
            {
                return problem;
            }
        }
        return "";
    }

    /// One of the literals suffices.
    std::string CheckIn(const Node& node)
    {
        std::string problem;
        for (const Node* item = node.Second(); item != node.End(); ++item)
        {
            problem = CheckComparison(*node.First(), *item);
            if (problem.empty())
            {
                return "";
            }
        }
        return problem;
    }

    /// Arithmetic is of numbers.
    std::string CheckValue(const Node& node)
    {
        switch (node.kind)
        {
        case Node::Kind::ADD:
        case Node::Kind::SUBTRACT:
        case Node::Kind::MULTIPLY:
        case Node::Kind::DIVIDE:
            for (const Node* side : {node.First(), node.Second()})
            {
                if (auto problem = CheckValue(*side); !problem.empty())
                {
                    return problem;
                }
                if (auto problem = Require(*side, NUMBER_TYPE, "arithmetic"); !problem.empty())
                {
                    return problem;
                }
            }
            return "";
        default:
            return "";
        }
    }

    std::string Require(const Node& node, TypeSet type, const std::string& what)
    {
        if (auto problem = CheckValue(node); !problem.empty())
        {
            return problem;
        }
        if (GetTypes(node) & type)
        {
            return "";
        }
        return what + " needs " + NameOf(type) + ", and here is " + Describe(node);
    }

    TypeSet GetTypes(const Node& node) const
    {
        switch (node.kind)
        {
        case Node::Kind::STRING:
            return TEXT_TYPE;
        case Node::Kind::BOOLEAN:
            return BOOLEAN_TYPE;
        case Node::Kind::ATTRIBUTE: {
            const auto found = m_types.find(std::string(m_condition.GetText(node)));
            return found == m_types.end() ? ANY_TYPE : found->second;
        }
        default:
            return NUMBER_TYPE;
        }
    }

    /// `temp (a number)`
    std::string Describe(const Node& node) const
    {
        std::ostringstream words;
        switch (node.kind)
        {
        case Node::Kind::STRING:
            words << "'" << m_condition.GetText(node) << "'";
            break;
        case Node::Kind::ATTRIBUTE:
            words << m_condition.GetText(node);
            break;
        case Node::Kind::INTEGER:
            words << node.integer;
            break;
        case Node::Kind::REAL:
            words << node.real;
            break;
        case Node::Kind::BOOLEAN:
            words << (node.boolean ? "TRUE" : "FALSE");
            break;
        default:
            words << "a result";
        }
        words << " (" << NameOf(GetTypes(node)) << ")";
        return words.str();
    }

    static std::string NameOf(TypeSet types)
    {
        std::string names;
        for (const auto& [type, name] : {std::pair{NUMBER_TYPE, "a number"},
                                         std::pair{TEXT_TYPE, "a text"},
                                         std::pair{BOOLEAN_TYPE, "true or false"}})
        {
            if (types & type)
            {
                names += (names.empty() ? "" : ", ") + std::string(name);
            }
        }
        return names;
    }

    const Condition& m_condition;
    const AttributeTypes& m_types;
};

} // namespace

std::string
FindTypeProblem(const Filter& filter, const AttributeTypes& types)
{
    const auto& condition = filter.GetCondition();
    return TypeCheck(condition, types).CheckCondition(condition.nodes.front());
}

} // namespace mftpubsub

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_EQUATIONS_H
#define MFTPUBSUB_PROTOCOLS_MESH_EQUATIONS_H

#include "protocols/mesh/galois.h"
#include "protocols/mesh/limits.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace mftpubsub::mesh
{

/// Sums of byte strings that are not known, as linear equations over GF(256) in reduced row echelon
/// form.
template <typename Id>
class Equations
{
  public:
    /// Byte strings, each times a factor. Each string that is in a sum has a column.
    struct Sum
    {
        Bytes factors; //!< by columns; 0 beyond
        Bytes bytes;
        Instant heardAt{0};
        size_t column{0}; //!< where it alone has a factor, 1

        uint8_t GetFactor(size_t of) const
        {
            return of < factors.size() ? factors[of] : 0;
        }
    };

    /// @return the column of @p id, which has one from now on
    size_t GetColumn(Id id)
    {
        const auto [at, isNew] = m_columns.emplace(id, m_columns.size());
        if (isNew && !m_free.empty())
        {
            at->second = m_free.back();
            m_free.pop_back();
        }
        return at->second;
    }

    /// @return whether @p sum says something new
    bool Insert(Sum sum)
    {
        for (const auto& [id, other] : m_sums)
        {
            Eliminate(sum, other);
        }
        const auto first = std::ranges::find_if(m_columns, [&sum](const auto& entry) {
            return sum.GetFactor(entry.second) != 0;
        });
        if (first == m_columns.end())
        {
            return false;
        }
        const auto [id, column] = *first;
        Sum normal{{}, {}, sum.heardAt, column};
        Add(normal, galois::Inverse(sum.GetFactor(column)), sum);
        for (auto& [otherId, other] : m_sums)
        {
            Eliminate(other, normal);
        }
        m_sums.emplace(id, std::move(normal));
        return true;
    }

    /// The string is known: no sum is of it any more.
    void TakeOut(Id id, const Bytes& bytes)
    {
        const auto at = m_columns.find(id);
        if (at == m_columns.end())
        {
            return;
        }
        const auto takeOut = [&bytes, column = at->second](Sum& sum) {
            if (const auto factor = sum.GetFactor(column))
            {
                galois::AddTimes(sum.bytes, factor, bytes);
                sum.factors[column] = 0;
            }
        };
        auto its = m_sums.extract(id);
        for (auto& [otherId, sum] : m_sums)
        {
            takeOut(sum);
        }
        if (its)
        {
            takeOut(its.mapped());
            Insert(std::move(its.mapped()));
        }
    }

    /// @return the strings that are solved, which are in no sum any more
    std::vector<std::pair<Id, Bytes>> TakeSolved()
    {
        std::vector<std::pair<Id, Bytes>> solved;
        for (auto at = m_sums.begin(); at != m_sums.end();)
        {
            auto& [id, sum] = *at;
            const auto others =
                std::ranges::count_if(sum.factors, [](uint8_t factor) { return factor != 0; });
            if (others != 1)
            {
                ++at;
                continue;
            }
            solved.emplace_back(id, std::move(sum.bytes));
            at = m_sums.erase(at);
        }
        if (!solved.empty())
        {
            FreeColumns();
        }
        return solved;
    }

    void Forget(Instant before)
    {
        if (std::erase_if(m_sums,
                          [&](const auto& entry) { return entry.second.heardAt < before; }) > 0)
        {
            FreeColumns();
        }
    }

    void ForgetOldest()
    {
        m_sums.erase(std::ranges::min_element(m_sums, {}, [](const auto& entry) {
            return entry.second.heardAt;
        }));
        FreeColumns();
    }

    /// @return the sums, by the string of their column
    const std::map<Id, Sum>& GetSums() const
    {
        return m_sums;
    }

    /// @return the strings that are in sums, or were
    const std::map<Id, size_t>& GetColumns() const
    {
        return m_columns;
    }

  private:
    /// Strings that are in no sum need no column.
    void FreeColumns()
    {
        std::erase_if(m_columns, [this](const auto& entry) {
            const auto column = entry.second;
            const auto isFree = std::ranges::none_of(m_sums, [column](const auto& other) {
                return other.second.GetFactor(column) != 0;
            });
            if (isFree)
            {
                m_free.push_back(column);
            }
            return isFree;
        });
    }

    static void Add(Sum& to, uint8_t factor, const Sum& from)
    {
        galois::AddTimes(to.factors, factor, from.factors);
        galois::AddTimes(to.bytes, factor, from.bytes);
    }

    static void Eliminate(Sum& from, const Sum& what)
    {
        if (const auto factor = from.GetFactor(what.column))
        {
            Add(from, factor, what);
        }
    }

    std::map<Id, Sum> m_sums;
    std::map<Id, size_t> m_columns;
    std::vector<size_t> m_free; //!< columns of no string
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_EQUATIONS_H */

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/cell-losses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace mftpubsub
{

namespace
{

constexpr float NOT_COMPUTED = std::numeric_limits<float>::quiet_NaN();

/// More than what single precision loses in a sum of path losses, dB.
constexpr double ROUNDING_DB = 1e-3;

/// Most path losses that are remembered. More would not fit a processor's cache, where to compute
/// one again costs no more than to fetch it.
constexpr size_t MAX_REMEMBERED = 8 << 20;

uint32_t
Difference(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

} // namespace

void
CellLosses::Divide(double width, double height, double cellSize)
{
    m_width = width;
    m_height = height;
    m_cellSize = cellSize;
    m_columns = static_cast<uint32_t>(std::ceil(width / cellSize));
    m_rows = static_cast<uint32_t>(std::ceil(height / cellSize));
}

void
CellLosses::SetTable(std::span<const PathLossEntry> entries)
{
    m_hasTable = true;
    const uint32_t cells = m_columns * m_rows;
    m_remembered.resize(cells);
    for (const auto& [from, to, lossDb] : entries)
    {
        if (from >= cells || to >= cells)
        {
            throw std::invalid_argument("WirelessChannel: path loss from cell " +
                                        std::to_string(from) + " to " + std::to_string(to) +
                                        ", but the field has " + std::to_string(cells) + " cells");
        }
        RowOf({from, 0, 0}).lossDb[to] = lossDb;
    }
}

void
CellLosses::Compute(const MeanLoss& meanLoss,
                    float cutDistance,
                    double largestLossDb,
                    const Shadowing& shadowing)
{
    if (m_hasTable)
    {
        return;
    }
    m_shadowing = &shadowing;
    m_largestLossDb = largestLossDb;
    const double reach =
        std::min(cutDistance / m_cellSize + 1, static_cast<double>(std::max(m_columns, m_rows)));
    m_offsetCells = static_cast<uint32_t>(std::ceil(reach)) + 1;
    m_offsets.reserve(size_t{m_offsetCells} * m_offsetCells + 1);
    for (uint32_t dy = 0; dy < m_offsetCells; ++dy)
    {
        for (uint32_t dx = 0; dx < m_offsetCells; ++dx)
        {
            const auto distance = static_cast<float>(std::hypot(dx * m_cellSize, dy * m_cellSize));
            const float mean = distance > cutDistance ? NEVER_DELIVERED : meanLoss(distance);
            m_offsets.push_back(
                {mean, shadowing.GetLargestDraw(largestLossDb + ROUNDING_DB - mean)});
        }
    }
    m_offsets[0].largestDraw = std::numeric_limits<uint32_t>::max(); // without shadowing
    m_offsets.push_back({NEVER_DELIVERED, 0});
    const size_t window = std::min<size_t>(2 * m_offsetCells - 1, m_columns) *
                          std::min<size_t>(2 * m_offsetCells - 1, m_rows);
    const size_t cells = size_t{m_columns} * m_rows;
    m_remembered.resize(cells * window <= MAX_REMEMBERED ? cells : 0);
}

Cell
CellLosses::CellOf(double x, double y) const
{
    const auto index = [](double value, double field, uint32_t count) {
        const double cell = std::floor(value / field * count);
        return static_cast<uint32_t>(std::clamp(cell, 0.0, static_cast<double>(count - 1)));
    };
    const uint32_t column = index(x, m_width, m_columns);
    const uint32_t row = index(y, m_height, m_rows);
    return {row * m_columns + column, column, row};
}

float
CellLosses::GetDistance(const Cell& from, const Cell& to) const
{
    const double dx = m_cellSize * (int64_t{from.column} - int64_t{to.column});
    const double dy = m_cellSize * (int64_t{from.row} - int64_t{to.row});
    return static_cast<float>(std::hypot(dx, dy));
}

CellLosses::Row&
CellLosses::RowOf(const Cell& cell)
{
    auto& row = m_remembered[cell.index];
    if (!row)
    {
        row = std::make_unique<Row>();
        if (m_hasTable)
        {
            row->columns = m_columns;
            row->lossDb.assign(size_t{m_columns} * m_rows, NEVER_DELIVERED);
            return *row;
        }
        const auto range = [this](uint32_t centre, uint32_t count) {
            const uint32_t reach = m_offsetCells - 1;
            const uint32_t first = centre > reach ? centre - reach : 0;
            return std::pair{first, std::min(centre + reach, count - 1) - first + 1};
        };
        const auto [column, columns] = range(cell.column, m_columns);
        const auto [line, lines] = range(cell.row, m_rows);
        row->firstColumn = column;
        row->firstRow = line;
        row->columns = columns;
        row->lossDb.assign(size_t{columns} * lines, NOT_COMPUTED);
    }
    return *row;
}

float
CellLosses::Get(const Cell& from, const Cell& to)
{
    if (m_remembered.empty())
    {
        return ComputeLoss(from, to);
    }
    Row& row = RowOf(from);
    const uint32_t column = to.column - row.firstColumn;
    const uint32_t line = to.row - row.firstRow;
    const size_t index = size_t{line} * row.columns + column;
    // Unsigned differences: a cell before the row's window is far beyond its end.
    if (column >= row.columns || index >= row.lossDb.size())
    {
        return NEVER_DELIVERED;
    }
    float& loss = row.lossDb[index];
    if (std::isnan(loss))
    {
        loss = ComputeLoss(from, to);
    }
    return loss;
}

const CellLosses::Offset&
CellLosses::OffsetOf(const Cell& from, const Cell& to) const
{
    const uint32_t dx = Difference(from.column, to.column);
    const uint32_t dy = Difference(from.row, to.row);
    return dx < m_offsetCells && dy < m_offsetCells ? m_offsets[dy * m_offsetCells + dx]
                                                    : m_offsets.back();
}

float
CellLosses::ComputeLoss(const Cell& from, const Cell& to) const
{
    const auto [mean, largestDraw] = OffsetOf(from, to);
    if (mean == NEVER_DELIVERED)
    {
        return mean;
    }
    const uint64_t draw = m_shadowing->Draw(from.index, to.index);
    return draw >> 32 > largestDraw ? NEVER_DELIVERED : AddShadowing(from, to, mean, draw);
}

float
CellLosses::AddShadowing(const Cell& from, const Cell& to, float meanLossDb, uint64_t draw) const
{
    if (from.index == to.index)
    {
        return meanLossDb;
    }
    const float loss = m_shadowing->AddTo(meanLossDb, draw, from.index < to.index, m_largestLossDb);
    return loss > m_largestLossDb ? NEVER_DELIVERED : loss;
}

std::span<const CellLosses::Reached>
CellLosses::Find(const Cell& from, std::span<const uint32_t> devices, std::span<const Cell> cells)
{
    m_reached.clear();
    if (m_remembered.empty())
    {
        FindComputed(from, devices, cells);
    }
    else
    {
        FindRemembered(from, devices, cells);
    }
    return m_reached;
}

void
CellLosses::FindRemembered(const Cell& from,
                           std::span<const uint32_t> devices,
                           std::span<const Cell> cells)
{
    for (const uint32_t device : devices)
    {
        if (const float loss = Get(from, cells[device]); loss != NEVER_DELIVERED)
        {
            m_reached.push_back({device, loss});
        }
    }
}

void
CellLosses::FindComputed(const Cell& from,
                         std::span<const uint32_t> devices,
                         std::span<const Cell> cells)
{
    // In steps without branches: most candidates are out of reach, and which is for nobody to
    // guess.
    const size_t count = devices.size();
    m_offsetsOf.resize(count);
    m_draws.resize(count);
    m_kept.resize(count);
    for (size_t i = 0; i < count; ++i)
    {
        const Cell& to = cells[devices[i]];
        m_offsetsOf[i] = OffsetOf(from, to);
        m_draws[i] = m_shadowing->Draw(from.index, to.index);
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i)
    {
        m_kept[kept] = static_cast<uint32_t>(i);
        kept += m_draws[i] >> 32 <= m_offsetsOf[i].largestDraw ? 1 : 0;
    }
    for (size_t k = 0; k < kept; ++k)
    {
        const size_t i = m_kept[k];
        const float mean = m_offsetsOf[i].meanLossDb;
        const float loss = mean == NEVER_DELIVERED
                               ? mean
                               : AddShadowing(from, cells[devices[i]], mean, m_draws[i]);
        if (loss != NEVER_DELIVERED)
        {
            m_reached.push_back({devices[i], loss});
        }
    }
}

} // namespace mftpubsub

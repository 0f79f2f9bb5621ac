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

/// Most cells to a side: columns and rows have 16 bits, and indices 32.
constexpr uint32_t MAX_SIDE = 65'535;

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
    if (std::max(m_columns, m_rows) > MAX_SIDE)
    {
        throw std::invalid_argument("WirelessChannel: a field of " + std::to_string(m_columns) +
                                    " x " + std::to_string(m_rows) + " cells; at most " +
                                    std::to_string(MAX_SIDE) + " to a side are possible");
    }
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
                    const Shadowing& shadowing,
                    const Walls& walls)
{
    if (m_hasTable)
    {
        return;
    }
    m_shadowing = &shadowing;
    m_walls = walls.IsEmpty() ? nullptr : &walls;
    m_meanLoss = [meanLoss, cutDistance](float distance) {
        return distance > cutDistance ? NEVER_DELIVERED : meanLoss(distance);
    };
    m_largestLossDb = largestLossDb;
    const double reach =
        std::min(cutDistance / m_cellSize + 1, static_cast<double>(std::max(m_columns, m_rows)));
    m_side = static_cast<uint32_t>(std::ceil(reach)) + 1;
    m_means.reserve(size_t{m_side} * m_side + 1);
    std::vector<std::vector<uint32_t>> largestDraws(m_side);
    for (uint32_t dy = 0; dy < m_side; ++dy)
    {
        for (uint32_t dx = 0; dx < m_side; ++dx)
        {
            const auto distance = static_cast<float>(std::hypot(dx * m_cellSize, dy * m_cellSize));
            const float mean = m_meanLoss(distance);
            m_means.push_back(mean);
            largestDraws[dy].push_back(
                shadowing.GetLargestDraw(largestLossDb + ROUNDING_DB - mean));
        }
    }
    m_means.push_back(NEVER_DELIVERED);
    const size_t window =
        std::min<size_t>(2 * m_side - 1, m_columns) * std::min<size_t>(2 * m_side - 1, m_rows);
    const size_t cells = size_t{m_columns} * m_rows;
    if (cells * window <= MAX_REMEMBERED)
    {
        m_remembered.resize(cells);
    }
    else
    {
        m_plausible.Reset(m_columns, m_rows, largestDraws);
    }
}

Cell
CellLosses::CellOf(const Position& position) const
{
    const auto index = [](double value, double field, uint32_t count) {
        const double cell = std::floor(value / field * count);
        return static_cast<uint32_t>(std::clamp(cell, 0.0, static_cast<double>(count - 1)));
    };
    const uint32_t column = index(position.x, m_width, m_columns);
    const uint32_t row = index(position.y, m_height, m_rows);
    return {row * m_columns + column,
            static_cast<uint16_t>(column),
            static_cast<uint16_t>(row),
            static_cast<float>(position.z)};
}

float
CellLosses::GetDistance(const Cell& from, const Cell& to) const
{
    const double dx = m_cellSize * (int64_t{from.column} - int64_t{to.column});
    const double dy = m_cellSize * (int64_t{from.row} - int64_t{to.row});
    return static_cast<float>(mftpubsub::GetDistance({}, {dx, dy, to.height - from.height}));
}

double
CellLosses::GetWallLossDb(const Cell& from, const Cell& to) const
{
    if (m_walls == nullptr)
    {
        return 0;
    }
    const double width = m_width / m_columns;
    const double height = m_height / m_rows;
    const auto middle = [width, height](const Cell& cell) {
        return Position{(cell.column + 0.5) * width, (cell.row + 0.5) * height, cell.height};
    };
    return m_walls->GetLossDb(middle(from), middle(to));
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
            const uint32_t reach = m_side - 1;
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

bool
CellLosses::IsAsOnGround(const Cell& from, const Cell& to) const
{
    return from.height == to.height &&
           (from.height == 0 || m_walls == nullptr || !m_walls->HasLowOnes());
}

float
CellLosses::Get(const Cell& from, const Cell& to)
{
    if (m_remembered.empty() || (!m_hasTable && !IsAsOnGround(from, to)))
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

float
CellLosses::MeanOf(const Cell& from, const Cell& to) const
{
    if (from.height != to.height)
    {
        return m_meanLoss(GetDistance(from, to));
    }
    const uint32_t dx = Difference(from.column, to.column);
    const uint32_t dy = Difference(from.row, to.row);
    return dx < m_side && dy < m_side ? m_means[dy * m_side + dx] : m_means.back();
}

float
CellLosses::ComputeLoss(const Cell& from, const Cell& to) const
{
    const float mean = MeanOf(from, to);
    if (from.index == to.index || mean == NEVER_DELIVERED)
    {
        return mean;
    }
    const auto loss =
        static_cast<float>(mean + GetWallLossDb(from, to) + m_shadowing->Get(from.index, to.index));
    return loss > m_largestLossDb ? NEVER_DELIVERED : loss;
}

std::span<const CellLosses::Reached>
CellLosses::Find(const Cell& from, std::span<const uint32_t> devices, std::span<const Cell> cells)
{
    m_search.reached.clear();
    if (m_remembered.empty())
    {
        FindComputed(from, devices, cells);
    }
    else
    {
        FindRemembered(from, devices, cells);
    }
    return m_search.reached;
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
            m_search.reached.push_back({device, loss});
        }
    }
}

void
CellLosses::AddWalls(const Cell& from, std::span<const Cell> cells)
{
    for (size_t i = 0; i < m_search.devices.size(); ++i)
    {
        m_search.means[i] += static_cast<float>(GetWallLossDb(from, cells[m_search.devices[i]]));
    }
}

void
CellLosses::FindComputed(const Cell& from,
                         std::span<const uint32_t> devices,
                         std::span<const Cell> cells)
{
    // Without branches: most candidates are out of reach, and which is for nobody to guess.
    const PlausibleCells::Square plausible = m_plausible.Around(from, *m_shadowing);
    m_search.devices.resize(devices.size());
    uint32_t* kept = m_search.devices.data();
    for (const uint32_t device : devices)
    {
        *kept = device;
        kept += plausible.Has(cells[device]) ? 1 : 0;
    }
    const auto count = static_cast<size_t>(kept - m_search.devices.data());
    m_search.devices.resize(count);
    m_search.places.resize(count);
    m_search.means.resize(count);
    m_search.losses.resize(count);
    for (size_t i = 0; i < count; ++i)
    {
        const Cell& to = cells[m_search.devices[i]];
        m_search.places[i] = to.index;
        m_search.means[i] = MeanOf(from, to);
    }
    if (m_walls != nullptr)
    {
        AddWalls(from, cells);
    }
    m_shadowing->AddTo(from.index, m_search.places, m_search.means, m_search.losses);
    m_search.reached.resize(count);
    size_t reached = 0;
    for (size_t i = 0; i < count; ++i)
    {
        const float loss =
            m_search.places[i] == from.index ? m_search.means[i] : m_search.losses[i];
        m_search.reached[reached] = {m_search.devices[i], loss};
        reached += loss <= m_largestLossDb ? 1 : 0;
    }
    m_search.reached.resize(reached);
}

} // namespace mftpubsub

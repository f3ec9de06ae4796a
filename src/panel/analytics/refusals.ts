import type { RefusalsReportJson } from '../../reports/refusals/schema.ts'
import { quoteManagerName } from '../frame/manager-names.ts'
import { defineReportPage } from './report.ts'
import { createTableCell, buildReportTable, type TableCell, type ReportView } from './view.ts'
import type { FigureFormatter } from './figure-formatter.ts'

export const lostDealsReportPage = defineReportPage<RefusalsReportJson>({
  name: 'refusals',
  group: 'sales',
  hasFunnel: true,
  show: buildRefusalsView,
})

/** The API returns no share for fewer lost deals. */
const MIN_LOST_DEALS = 10

/** Builds the report that groups lost deals by reason, objection, stage, number of calls and manager. */
function buildRefusalsView(report: RefusalsReportJson, formatter: FigureFormatter): ReportView {
  const { t } = formatter
  const isEmpty = report.lost === 0
  const href = formatter.dealsHref({ outcome: 'lost' })
  return {
    ...(!isEmpty && { verdict: formatVerdict(report, formatter) }),
    notes: isEmpty ? [t.noDeals] : [],
    cards: [{ name: t.cards.lost, value: formatter.count(report.lost), href }],
    charts: [],
    basis: isEmpty ? [] : collectDefinitions(report, t.definitions),
    tables: isEmpty ? [] : [...buildGroupTables(report, formatter), ...buildManagersTable(report, formatter)],
  }
}

function formatVerdict({ lost, reasons }: RefusalsReportJson, { t: { lead }, count, ratio }: FigureFormatter): string {
  const [first] = reasons.filter(({ reason }) => reason !== null)
  if (first?.share.value == null)
    return (lost < MIN_LOST_DEALS ? lead.fewLost : lead.lostWithoutReason)(lost, count(lost))
  const unnamed = reasons.find(({ reason }) => reason === null)?.share.numerator ?? 0
  if (unnamed < first.share.numerator) return lead.lost(lost, count(lost), first.reason!, ratio(first.share))
  return lead.lostOftenUnnamed(lost, count(lost), count(unnamed), first.reason!, ratio(first.share))
}

const collectDefinitions = (
  { objections, managers }: RefusalsReportJson,
  t: FigureFormatter['t']['definitions'],
): string[] => [
  t.closed,
  t.noReason,
  ...(objections.length > 0 ? [t.objections] : []),
  ...(managers.some(({ flags }) => flags.length > 0) ? [t.unlike] : []),
  t.gone,
]

function buildGroupTables(report: RefusalsReportJson, formatter: FigureFormatter): ReportView['tables'] {
  const { t, name, language } = formatter
  const buildGroupTable = <Row extends { share: Share }>(
    id: 'reasons' | 'objections' | 'stages' | 'calls',
    column: string,
    rows: Row[],
    head: (row: Row) => TableCell,
    filter: (row: Row) => Record<string, string>,
  ) =>
    buildReportTable(id, t.tables[id], rows, [
      { title: column, cell: head },
      {
        title: t.columns.deals,
        by: (row) => row.share.numerator,
        cell: (row) =>
          createTableCell(
            id === 'objections' ? formatter.ofAll(row.share) : formatter.count(row.share.numerator),
            formatter.dealsHref({ outcome: 'lost', ...filter(row) }),
          ),
      },
      { title: t.columns.share, by: (row) => row.share.value, cell: (row) => formatter.share(row.share) },
    ])
  return [
    ...buildGroupTable(
      'reasons',
      t.columns.reason,
      report.reasons,
      ({ reason }) => name(reason, t.noReason),
      ({ reason }) => ({ reason: reason ?? '-' }),
    ),
    ...buildGroupTable(
      'objections',
      t.columns.label,
      report.objections,
      ({ rule }) => name(rule.name[language.code]),
      ({ set, rule }) => ({ said: `${set.key}/${rule.key}` }),
    ),
    ...buildGroupTable(
      'stages',
      t.columns.stage,
      report.stages,
      ({ stage }) => name(stage, t.unknownStage),
      ({ stage }) => ({ before: stage ?? '-' }),
    ),
    ...buildGroupTable(
      'calls',
      t.cards.calls,
      report.calls,
      ({ calls }) => createTableCell(calls),
      ({ calls }) => ({ calls }),
    ),
  ]
}

type Share = RefusalsReportJson['reasons'][number]['share']

/** Lists each manager's lost deals and the loss reasons that differ from those of other managers. */
function buildManagersTable({ managers }: RefusalsReportJson, formatter: FigureFormatter): ReportView['tables'] {
  const { t, ratio } = formatter
  const href = (manager: string | null, filter: Record<string, string> = {}) =>
    formatter.dealsHref({ outcome: 'lost', manager: quoteManagerName(manager), ...filter })
  return buildReportTable('managers', t.tables.managers, managers, [
    { title: t.columns.manager, cell: ({ manager }) => formatter.name(manager) },
    {
      title: t.cards.lost,
      by: ({ lost }) => lost,
      cell: ({ manager, lost }) => createTableCell(formatter.count(lost), href(manager)),
    },
    {
      title: t.columns.noReason,
      by: ({ noReason }) => noReason.value,
      cell: ({ manager, noReason }) => formatter.share(noReason, { href: href(manager, { reason: '-' }) }),
    },
    {
      title: t.columns.unlike,
      isText: true,
      cell: ({ flags }) => {
        const unusualReasons = flags.map(({ reason, share, others }) =>
          t.unlike(reason ?? t.noReason, ratio(share), ratio(others)),
        )
        return formatter.name(unusualReasons.join('; '))
      },
    },
  ])
}

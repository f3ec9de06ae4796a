import type { RefusalsJson } from '../../reports/refusals/schema.ts'
import { quoteName } from './query.ts'
import { defineReport } from './report.ts'
import { cell, table, type Cell, type View } from './view.ts'
import type { Writer } from './writer.ts'

export const refusals = defineReport<RefusalsJson>({ name: 'refusals', hasFunnel: true, show: showRefusals })

/** Why deals are lost, and where. */
function showRefusals(report: RefusalsJson, write: Writer): View {
  const { t } = write
  const isEmpty = report.lost === 0
  const href = write.dealsHref({ outcome: 'lost' })
  return {
    notes: isEmpty ? [t.noDeals] : [],
    cards: [{ name: t.cards.lost, value: write.count(report.lost), href }],
    charts: [],
    basis: isEmpty ? [] : definitionsOf(report, t.definitions),
    tables: isEmpty ? [] : [...groupsOf(report, write), ...managersOf(report, write)],
  }
}

const definitionsOf = ({ objections, managers }: RefusalsJson, t: Writer['t']['definitions']): string[] => [
  t.closed,
  t.noReason,
  ...(objections.length > 0 ? [t.objections] : []),
  ...(managers.some(({ flags }) => flags.length > 0) ? [t.unlike] : []),
  t.gone,
]

/** Lost deals by reason, objection, stage and number of calls. */
function groupsOf(report: RefusalsJson, write: Writer): View['tables'] {
  const { t, name, language } = write
  const group = <Row extends { share: Share }>(
    id: 'reasons' | 'objections' | 'stages' | 'calls',
    column: string,
    rows: Row[],
    head: (row: Row) => Cell,
    filter: (row: Row) => Record<string, string>,
  ) =>
    table(id, t.tables[id], rows, [
      { title: column, cell: head },
      {
        title: t.columns.deals,
        cell: (row) =>
          cell(
            id === 'objections' ? write.ofAll(row.share) : write.count(row.share.numerator),
            write.dealsHref({ outcome: 'lost', ...filter(row) }),
          ),
      },
      { title: t.columns.share, cell: (row) => write.share(row.share) },
    ])
  return [
    ...group(
      'reasons',
      t.columns.reason,
      report.reasons,
      ({ reason }) => name(reason, t.noReason),
      ({ reason }) => ({ reason: reason ?? '-' }),
    ),
    ...group(
      'objections',
      t.columns.label,
      report.objections,
      ({ rule }) => name(rule.name[language.code]),
      ({ set, rule }) => ({ said: `${set.key}/${rule.key}` }),
    ),
    ...group(
      'stages',
      t.columns.stage,
      report.stages,
      ({ stage }) => name(stage, t.unknownStage),
      ({ stage }) => ({ before: stage ?? '-' }),
    ),
    ...group(
      'calls',
      t.cards.calls,
      report.calls,
      ({ calls }) => cell(calls),
      ({ calls }) => ({ calls }),
    ),
  ]
}

type Share = RefusalsJson['reasons'][number]['share']

/** The lost deals of each manager, and the reasons for which they lose more or less often than the others. */
function managersOf({ managers }: RefusalsJson, write: Writer): View['tables'] {
  const { t, ratio } = write
  const href = (manager: string | null, filter: Record<string, string> = {}) =>
    write.dealsHref({ outcome: 'lost', manager: quoteName(manager), ...filter })
  return table('managers', t.tables.managers, managers, [
    { title: t.columns.manager, cell: ({ manager }) => write.name(manager) },
    { title: t.cards.lost, cell: ({ manager, lost }) => cell(write.count(lost), href(manager)) },
    {
      title: t.columns.noReason,
      cell: ({ manager, noReason }) => write.share(noReason, { href: href(manager, { reason: '-' }) }),
    },
    {
      title: t.columns.unlike,
      isText: true,
      cell: ({ flags }) => {
        const unlike = flags.map(({ reason, share, others }) =>
          t.unlike(reason ?? t.noReason, ratio(share), ratio(others)),
        )
        return write.name(unlike.join('; '))
      },
    },
  ])
}

import type { RefusalsJson } from '../../reports/refusals/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { exactly } from './asked.ts'
import { cell, dealsHref, table, writing, type Cell, type Narrowed, type View } from './view.ts'

/** Why deals are lost, and where. */
export function refusalsView(report: RefusalsJson, language: Language, narrowed: Narrowed): View {
  const { words, format } = language
  const t = words.analytics
  const isEmpty = report.lost === 0
  const href = dealsHref(narrowed, { outcome: 'lost' })
  return {
    notes: isEmpty ? [t.noDeals] : [],
    cards: [{ name: t.cards.lost, value: format.number(report.lost), note: '', href }],
    charts: [],
    basis: isEmpty ? [] : definitionsOf(report, language),
    tables: isEmpty ? [] : [...groupsOf(report, language, narrowed), ...managersOf(report, language, narrowed)],
  }
}

function definitionsOf({ objections, managers }: RefusalsJson, { words }: Language): string[] {
  const t = words.analytics.definitions
  const hasFlags = managers.some(({ flags }) => flags.length > 0)
  return [
    t.closed,
    t.noReason,
    ...(objections.length > 0 ? [t.objections] : []),
    ...(hasFlags ? [t.unlike] : []),
    t.gone,
  ]
}

/** Lost deals by reason, objection, stage and number of calls. */
function groupsOf(report: RefusalsJson, language: Language, narrowed: Narrowed): View['tables'] {
  const { words, format, code } = language
  const t = words.analytics
  const write = writing(language)
  const named = (text: string | null, none: string): Cell => (text === null ? { text: none } : { text, isName: true })
  const group = (
    name: 'reasons' | 'objections' | 'stages' | 'calls',
    column: string,
    rows: View['tables'][number]['rows'],
  ) => table(name, t.tables[name], [`*${column}`, t.columns.deals, t.columns.share], rows)
  const counted = (share: Share, by: Record<string, string>, text = format.number(share.numerator)): Cell[] => [
    cell(text, dealsHref(narrowed, { outcome: 'lost', ...by })),
    write.share(share),
  ]
  return [
    ...group(
      'reasons',
      t.columns.reason,
      report.reasons.map(({ reason, share }) => ({
        head: named(reason, t.noReason),
        cells: counted(share, { reason: reason ?? '-' }),
      })),
    ),
    ...group(
      'objections',
      t.columns.label,
      report.objections.map(({ set, rule, share }) => ({
        head: { text: rule.name[code], isName: true },
        cells: counted(share, { said: `${set.key}/${rule.key}` }, write.ofAll(share)),
      })),
    ),
    ...group(
      'stages',
      t.columns.stage,
      report.stages.map(({ stage, share }) => ({
        head: named(stage, t.unknownStage),
        cells: counted(share, { before: stage ?? '-' }),
      })),
    ),
    ...group(
      'calls',
      t.cards.calls,
      report.calls.map(({ calls, share }) => ({ head: cell(calls), cells: counted(share, { calls }) })),
    ),
  ]
}

type Share = RefusalsJson['reasons'][number]['share']

/** The lost deals of each manager, and for which reasons they lose unlike the others. */
function managersOf({ managers }: RefusalsJson, language: Language, narrowed: Narrowed): View['tables'] {
  const { words, format } = language
  const t = words.analytics
  const write = writing(language)
  const columns = [`*${t.columns.manager}`, t.cards.lost, t.columns.noReason, `*${t.columns.unlike}`]
  const rows = managers.map(({ manager, lost, noReason, flags }) => {
    const href = (more: Record<string, string> = {}) =>
      dealsHref(narrowed, { outcome: 'lost', manager: exactly(manager), ...more })
    const unlike = flags.map(({ reason, share, others }) =>
      t.unlike(reason ?? t.noReason, write.ratio(share), write.ratio(others)),
    )
    return {
      head: write.name(manager),
      cells: [
        cell(format.number(lost), href()),
        write.share(noReason, { href: href({ reason: '-' }) }),
        { text: unlike.join('; '), isName: true },
      ],
    }
  })
  return table('managers', t.tables.managers, columns, rows)
}

import type { RefusalsJson } from '../../analytics/refusals/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { exactly } from './asked.ts'
import { cell, dealsHref, table, writing, type Cell, type Narrowed, type View } from './view.ts'

/** Why deals are lost, and where. */
export function refusalsView(report: RefusalsJson, language: Language, narrowed: Narrowed): View {
  const { words, format, code } = language
  const t = words.analytics
  const write = writing(language)
  const named = (text: string | null, none: string): Cell => (text === null ? { text: none } : { text, isName: true })
  const { reasons, objections, stages, calls, managers } = report
  const isEmpty = report.lost === 0
  const to = (more: Record<string, string> = {}) => dealsHref(narrowed, { outcome: 'lost', ...more })
  return {
    notes: isEmpty ? [t.noDeals] : [],
    cards: [{ name: t.cards.lost, value: format.number(report.lost), note: '', href: to() }],
    charts: [],
    tables: isEmpty
      ? []
      : [
          ...table(
            'reasons',
            t.tables.reasons,
            [`*${t.columns.reason}`, t.columns.deals, t.columns.share],
            reasons.map(({ reason, share }) => ({
              head: named(reason, t.noReason),
              cells: [cell(format.number(share.numerator), to({ reason: reason ?? '-' })), write.share(share)],
            })),
          ),
          ...table(
            'objections',
            t.tables.objections,
            [`*${t.columns.label}`, t.columns.deals, t.columns.share],
            objections.map(({ set, rule, share }) => ({
              head: { text: rule.name[code], isName: true },
              cells: [cell(write.ofAll(share), to({ said: `${set.key}/${rule.key}` })), write.share(share)],
            })),
          ),
          ...table(
            'stages',
            t.tables.stages,
            [`*${t.columns.stage}`, t.columns.deals, t.columns.share],
            stages.map(({ stage, share }) => ({
              head: named(stage, t.unknownStage),
              cells: [cell(format.number(share.numerator), to({ before: stage ?? '-' })), write.share(share)],
            })),
          ),
          ...table(
            'calls',
            t.tables.calls,
            [`*${t.cards.calls}`, t.columns.deals, t.columns.share],
            calls.map((row) => ({
              head: cell(row.calls),
              cells: [cell(format.number(row.share.numerator), to({ calls: row.calls })), write.share(row.share)],
            })),
          ),
          ...table(
            'managers',
            t.tables.managers,
            [`*${t.columns.manager}`, t.cards.lost, t.columns.noReason, `*${t.columns.unlike}`],
            managers.map((row) => ({
              head: write.name(row.manager),
              cells: [
                cell(format.number(row.lost), to({ manager: exactly(row.manager) })),
                write.share(row.noReason, { href: to({ manager: exactly(row.manager), reason: '-' }) }),
                {
                  text: row.flags
                    .map(({ reason, share, others }) =>
                      t.unlike(reason ?? t.noReason, write.ratio(share), write.ratio(others)),
                    )
                    .join('; '),
                  isName: true,
                },
              ],
            })),
          ),
        ],
  }
}

import type { CalibrationResultsJson } from '../../work/calibrations/schema.ts'
import type { PageContext } from '../frame/context.ts'
import { formatPathWithQuery } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { buildPaging, parsePageNumber } from '../frame/paging.ts'
import { buildPlaybackLinks } from '../frame/playback-links.ts'
import { buildSortHeader, parseTableSort, sortRows, type TableSort } from '../frame/sortable.ts'
import { formatCalibrationPath, nameCall } from './view.ts'

const PAGE_SIZE = 20
/** Below this count, a percentage would suggest more precision than there is. */
const MIN_FOR_PERCENT = 5

const SORTED_COLUMNS = ['rule', 'agreement'] as const
type SortedColumn = (typeof SORTED_COLUMNS)[number]
const DEFAULT_SORT: TableSort<SortedColumn> = { sort: 'agreement', order: 'asc' }

/** Fetches the results of the calibration in the route, with the requested page of differences. */
export const fetchCalibrationResults = (context: PageContext): Promise<CalibrationResultsJson> =>
  context.api.fetch<CalibrationResultsJson>(
    formatPathWithQuery(`${formatCalibrationPath(context)}/results`, {
      page: String(parsePageNumber(context.ctx.query.page)),
      pageSize: String(PAGE_SIZE),
    }),
  )

export type CalibrationResultsView = ReturnType<typeof buildCalibrationResults>

/** Builds the tables of agreement, worst rules first, and the differences. */
export function buildCalibrationResults(
  { items, total, page, pairs, rules }: CalibrationResultsJson,
  context: PageContext,
) {
  const { ctx, language } = context
  const { words, format, code } = language
  const t = words.calibrations
  const sort = parseTableSort(ctx.query, SORTED_COLUMNS, DEFAULT_SORT)
  const formatHref = (query: Partial<TableSort<SortedColumn>> & { page?: string }) =>
    formatPathWithQuery(ctx.path, { ...query })
  const columns = [
    { title: t.columns.rule, name: 'rule', first: 'asc' },
    { title: t.columns.agreement, name: 'agreement', first: 'asc' },
  ] as const
  const valueOf = ({ rule, compared, agreed }: CalibrationResultsJson['rules'][number]) =>
    sort.sort === 'rule' ? rule.name[code] : compared === 0 ? null : agreed / compared
  const pairNames = pairs.map(({ people: [a, b] }) => t.pair(a!.name, b!.name))
  return {
    pairs: pairs.map((pair, n) => ({
      names: pairNames[n],
      agreement: formatAgreement(pair, language),
      kappa: pair.kappa === null ? '—' : format.number(pair.kappa).replace('-', '−'),
    })),
    headers: columns.map((column) => buildSortHeader(column, sort, formatHref)),
    // With one pair, the column of the pair would repeat the sum.
    pairNames: pairs.length > 1 ? pairNames : [],
    rules: sortRows(rules, sort.order, valueOf, code).map(({ rule, pairs: cells, ...counts }) => ({
      name: rule.name[code],
      ruleSet: rule.ruleSet.name[code],
      agreement: formatAgreement(counts, language),
      cells: cells.length > 1 ? cells.map((one) => formatAgreement(one, language)) : [],
    })),
    differences: items.map((one) => buildDifference(one, context)),
    total,
    paging: buildPaging(page, PAGE_SIZE, total, (page) => formatHref({ ...sort, page: String(page) })),
  }
}

/** Formats an agreement as 80% (8 of 10), or without the percentage if it has few verdicts. */
function formatAgreement({ compared, agreed }: { compared: number; agreed: number }, { words, format }: Language) {
  const t = words.calibrations
  if (compared === 0) return '—'
  const counts = [format.number(agreed), format.number(compared)] as const
  if (compared < MIN_FOR_PERCENT) return t.progress(...counts)
  return t.share(format.number(Math.round((100 * agreed) / compared)), ...counts)
}

function buildDifference(
  { recording, rule, hasAudio, at, checkVerdict, verdicts }: CalibrationResultsJson['items'][number],
  context: PageContext,
) {
  const { words, code } = context.language
  const links = buildPlaybackLinks(recording.id, { hearFrom: at, hasAudio }, context)
  const nameVerdict = (verdict: string) => ({ code: verdict, text: words.recording.check.verdicts[verdict]! })
  return {
    call: nameCall(recording, context.language),
    rule: rule.name[code],
    href: links.href,
    listen: words.calibrations.listen(links.at),
    verdicts: [
      ...verdicts.map(({ person, verdict, comment }) => ({ by: person.name, ...nameVerdict(verdict), comment })),
      { by: words.calibrations.columns.check, ...nameVerdict(checkVerdict), comment: null },
    ],
  }
}

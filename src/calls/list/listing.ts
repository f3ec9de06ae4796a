import type { Core } from '../../platform/core.ts'
import { listPageBySql, type ResultPage, type PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { countRecordingSelectionSql } from './counts.ts'
import type { RecordingFilterValues } from './filters.ts'
import { addRecordingForecasts } from '../recordings/forecast.ts'
import { presentRecordingSummary, SELECT_RECORDING_SQL, type RecordingRow } from '../recordings/present.ts'
import type { RecordingJson } from '../recordings/schema.ts'
import { createRecordingSelection } from './create-selection.ts'
import {
  formatRecordingOrderSql,
  isOrderedByRank,
  selectRecordingPageIdsSql,
  type RecordingListOrder,
} from './sorting.ts'
import { recordingSelectionCondition, type RecordingSelection } from './selection.ts'

/** The page number, the page size and the order of a requested recording list. */
export interface RecordingPageQuery extends PageRequest, RecordingListOrder {}

/** Lists a page of the filtered recordings that the actor can see, with their queue forecasts. */
export async function listVisibleRecordings(
  core: Core,
  actor: Actor,
  query: RecordingFilterValues & Omit<RecordingPageQuery, 'order'> & Partial<RecordingPageQuery>,
): Promise<ResultPage<RecordingJson>> {
  const selection = await createRecordingSelection(core, core.pool, actor, query, { transcripts: false })
  const page = await listRecordingSelectionPage<RecordingRow>(core.pool, SELECT_RECORDING_SQL, selection, {
    ...query,
    order: query.order ?? 'best',
  })
  await addRecordingForecasts(core, page.items)
  return { ...page, items: page.items.map(presentRecordingSummary) }
}

/**
 * Lists a page of a selection.
 * @param columns `SELECT … FROM recordings r`, including joins
 */
export function listRecordingSelectionPage<R extends { id: string }>(
  sql: Sql,
  columns: string,
  selection: RecordingSelection,
  { page, pageSize, ...list }: RecordingPageQuery,
): Promise<ResultPage<R>> {
  const p = new SqlParameters()
  const offset = (page - 1) * pageSize
  if (isOrderedByRank(list) && selection.found) {
    const found = `${p.add(selection.found.slice(offset, offset + pageSize))}::uuid[]`
    const by = `array_position(${found}, r.id)`
    return listRecordingSelectionPageByIds<R>(sql, p, {
      columns,
      selection,
      ids: `SELECT unnest(${found})`,
      by,
      page,
      pageSize,
    })
  }
  const condition = `counted.total > ${offset} AND ${p.and(recordingSelectionCondition(selection))}`
  const ids = selectRecordingPageIdsSql(list, condition, pageSize, offset)
  return listRecordingSelectionPageByIds<R>(sql, p, {
    columns,
    selection,
    ids,
    by: formatRecordingOrderSql(list),
    page,
    pageSize,
  })
}

/** The SQL of a page. `ids` selects the ids of the page and can use `counted.total`. `by` orders the rows. */
interface PageSql extends PageRequest {
  columns: string
  selection: RecordingSelection
  ids: string
  by: string
}

/**
 * Counts a selection and lists one page of it. Finds the ids first, often from an index alone, then reads only the rows of the
 * page.
 */
export function listRecordingSelectionPageByIds<R extends { id: string }>(
  sql: Sql,
  p: SqlParameters,
  { columns, selection, ids, by, ...page }: PageSql,
): Promise<ResultPage<R>> {
  const rows = `${columns} WHERE r.id = ANY(ARRAY(${ids})) ORDER BY ${by} LIMIT ${page.pageSize}`
  return listPageBySql<R>(sql, { count: countRecordingSelectionSql(p, selection), rows, values: p.values }, page)
}

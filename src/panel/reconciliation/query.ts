import { CRM_CALL_STATES, type ReconciliationCounts } from '../../crm/reconciliation/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import { addDays, parseDay } from '../frame/dates.ts'
import { FormValues } from '../frame/fields.ts'
import { createFormWithErrors, createFormState, type FormState } from '../frame/form.ts'

/** The columns of the table: all calls of the CRM, then the calls in each state. */
export const RECONCILIATION_COLUMNS = ['inCrm', ...CRM_CALL_STATES] as const

/** Returns the number of calls in a column; skipped calls are counted by reason. */
export const findColumnCount = (counts: ReconciliationCounts, name: (typeof RECONCILIATION_COLUMNS)[number]): number =>
  name === 'skipped' ? Object.values(counts.skipped).reduce((all, n) => all + n, 0) : counts[name]

/** Parses the query of a reconciliation page. Without days, selects the last seven days up to today. */
export function parseReconciliationQuery(
  { ctx, language: { format } }: PageContext,
  names: readonly string[],
): FormValues {
  const firstValue = (name: string) => [ctx.query[name] ?? ''].flat()[0]!.trim()
  const today = format.dayOf(new Date().toISOString())
  const weekAgo = addDays(today, -6)
  const query = FormValues.of(Object.fromEntries(names.map((name) => [name, firstValue(name)])))
  return query.with('from', parseDay(firstValue('from')) || weekAgo).with('to', parseDay(firstValue('to')) || today)
}

/** Fetches the response to a query. If the API rejects the query with 400, returns a form with errors and no response. */
export async function fetchWithFormErrors<T>(
  { api, ctx, language }: PageContext,
  path: string,
  query: FormValues,
  names: readonly string[],
): Promise<{ answer: T | undefined; form: FormState }> {
  try {
    return { answer: await api.fetch<T>(path), form: createFormState(query) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    ctx.status = 400
    return { answer: undefined, form: createFormWithErrors(error, query, [...names], language) }
  }
}

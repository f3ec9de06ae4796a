import { ApiError } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import { addDays, readDay } from '../frame/dates.ts'
import { Fields } from '../frame/fields.ts'

/** In this order: what came here, and then what did not. */
export const COLUMNS = [
  'inCrm',
  'received',
  'done',
  'inWork',
  'failed',
  'cancelled',
  'deleted',
  'loading',
  'awaitingFile',
  'loadFailed',
  'skipped',
] as const

/** What the address asks for; without days the last week. */
export function readAsked({ ctx, language: { format } }: PageContext, names: readonly string[]): Fields {
  const one = (name: string) => [ctx.query[name] ?? ''].flat()[0]!.trim()
  const today = format.dayOf(new Date().toISOString())
  const weekAgo = addDays(today, -6)
  const asked = Fields.of(Object.fromEntries(names.map((name) => [name, one(name)])))
  return asked.with('from', readDay(one('from')) || weekAgo).with('to', readDay(one('to')) || today)
}

/** @returns the API's refusal where what was asked for is none */
export async function readAnswer<T>({ api }: PageContext, address: string): Promise<T | ApiError> {
  try {
    return await api.read<T>(address)
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error
    throw error
  }
}

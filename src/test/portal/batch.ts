import { PortalError } from './faults.ts'
import type { Answer } from './lists.ts'
import { map, parseForm, phpArray, text, type Parameters } from './parameters.ts'

const LONGEST = 50

/** Runs a method of a batch; it throws PortalError. */
type RunNested = (method: string, parameters: Parameters) => Answer & { time: object }

/** The method `batch`: up to fifty others, which can use the results of those before. */
export function runBatch(parameters: Parameters, run: RunNested): Answer {
  const commands = Object.entries(map(parameters.cmd))
  if (commands.length > LONGEST) throw new PortalError(400, 'ERROR_BATCH_LENGTH_EXCEEDED', 'Max batch length exceeded')
  const halts = ['1', 'true'].includes(text(parameters.halt) ?? '0')
  const found = { result: {}, result_error: {}, result_total: {}, result_next: {}, result_time: {} } as Record<
    'result' | 'result_error' | 'result_total' | 'result_next' | 'result_time',
    Record<string, unknown>
  >
  for (const [key, command] of commands) {
    const [method, nested] = commandOf(command, found.result)
    try {
      if (method === 'batch') throw new PortalError(405, 'ERROR_BATCH_METHOD_NOT_ALLOWED', 'Method is not allowed')
      const { result, total, next, time } = run(method, nested)
      found.result[key] = result
      found.result_time[key] = time
      if (total !== undefined) found.result_total[key] = total
      if (next !== undefined) found.result_next[key] = next
    } catch (error) {
      if (!(error instanceof PortalError)) throw error
      found.result_error[key] = { error: error.code, error_description: error.message }
      if (halts) break
    }
  }
  return { result: Object.fromEntries(Object.entries(found).map(([name, part]) => [name, phpArray(part)])) }
}

/** `method?query`, or the same as an object. */
function commandOf(command: unknown, results: Parameters): [string, Parameters] {
  if (typeof command !== 'string') {
    const { method, params } = map(command)
    return [text(method) ?? '', referred(map(params), results) as Parameters]
  }
  const mark = command.indexOf('?')
  if (mark < 0) return [command, {}]
  return [command.slice(0, mark), referred(parseForm(command.slice(mark + 1)), results) as Parameters]
}

const REFERENCE = /^\$result((?:\[[^\]]+\])+)$/

/** Replaces `$result[key][field]` by its value. */
function referred(value: unknown, results: Parameters): unknown {
  if (Array.isArray(value)) return value.map((one) => referred(one, results))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, referred(inner, results)]))
  }
  const path = typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined
  if (path === undefined) return value
  return [...path.matchAll(/\[([^\]]+)\]/g)].reduce<unknown>((found, [, key]) => map(found)[key!], results)
}

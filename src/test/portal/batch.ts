import { PortalError } from './faults.ts'
import type { PortalMethodResult } from './lists.ts'
import {
  parseParameterMap,
  parsePhpForm,
  toPhpJsonArray,
  parseParameterText,
  type PhpParameters,
} from './parameters.ts'

const MAX_COMMANDS = 50

/** Runs one command of a batch. A thrown PortalError becomes the result of the command. */
type RunNested = (method: string, parameters: PhpParameters) => PortalMethodResult & { time: object }

/**
 * Implements the method `batch`: up to fifty commands, which can use the results of earlier commands.
 * @throws PortalError for more commands
 */
export function runPortalBatch(parameters: PhpParameters, run: RunNested): PortalMethodResult {
  const commands = Object.entries(parseParameterMap(parameters.cmd))
  if (commands.length > MAX_COMMANDS)
    throw new PortalError(400, 'ERROR_BATCH_LENGTH_EXCEEDED', 'Max batch length exceeded')
  const haltsOnError = ['1', 'true'].includes(parseParameterText(parameters.halt) ?? '0')
  const collected = { result: {}, result_error: {}, result_total: {}, result_next: {}, result_time: {} } as Record<
    'result' | 'result_error' | 'result_total' | 'result_next' | 'result_time',
    Record<string, unknown>
  >
  for (const [key, command] of commands) {
    const [method, nested] = parseCommand(command, collected.result)
    try {
      if (method === 'batch') throw new PortalError(405, 'ERROR_BATCH_METHOD_NOT_ALLOWED', 'Method is not allowed')
      const { result, total, next, time } = run(method, nested)
      collected.result[key] = result
      collected.result_time[key] = time
      if (total !== undefined) collected.result_total[key] = total
      if (next !== undefined) collected.result_next[key] = next
    } catch (error) {
      if (!(error instanceof PortalError)) throw error
      collected.result_error[key] = { error: error.code, error_description: error.message }
      if (haltsOnError) break
    }
  }
  return { result: Object.fromEntries(Object.entries(collected).map(([name, part]) => [name, toPhpJsonArray(part)])) }
}

/** Parses a command, either `method?query` or an object with method and params. */
function parseCommand(command: unknown, results: PhpParameters): [string, PhpParameters] {
  if (typeof command !== 'string') {
    const { method, params } = parseParameterMap(command)
    return [parseParameterText(method) ?? '', resolveReferences(parseParameterMap(params), results) as PhpParameters]
  }
  const queryIndex = command.indexOf('?')
  if (queryIndex < 0) return [command, {}]
  return [
    command.slice(0, queryIndex),
    resolveReferences(parsePhpForm(command.slice(queryIndex + 1)), results) as PhpParameters,
  ]
}

const REFERENCE = /^\$result((?:\[[^\]]+\])+)$/

/** Replaces texts such as `$result[key][field]` with the result of an earlier command. */
function resolveReferences(value: unknown, results: PhpParameters): unknown {
  if (Array.isArray(value)) return value.map((one) => resolveReferences(one, results))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolveReferences(inner, results)]))
  }
  const path = typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined
  if (path === undefined) return value
  return [...path.matchAll(/\[([^\]]+)\]/g)].reduce<unknown>(
    (collected, [, key]) => parseParameterMap(collected)[key!],
    results,
  )
}

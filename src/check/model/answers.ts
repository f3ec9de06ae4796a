import { Ajv } from 'ajv'
import { parseJson } from '../../platform/lib/json.ts'

/** The answer of the model about one rule. `segment` is the index of the quoted segment, or -1 without a quote. */
export interface ModelCriterionAnswer {
  id: string
  verdict: 'met' | 'missed' | 'not_applicable'
  segment: number
  quote: string
  why: string
}

const ANSWER_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'verdict', 'segment', 'quote', 'why'],
  properties: {
    id: { type: 'string' },
    verdict: { type: 'string', enum: ['met', 'missed', 'not_applicable'] },
    segment: { type: 'integer' },
    quote: { type: 'string' },
    why: { type: 'string' },
  },
}

/**
 * Builds the JSON Schema that json_schema mode sends to the model.
 * @param ids rule keys, the only accepted values of `id`
 */
export const buildModelAnswersSchema = (ids: string[]) => ({
  type: 'object',
  additionalProperties: false,
  required: ['answers'],
  properties: {
    answers: {
      type: 'array',
      items: { ...ANSWER_SCHEMA, properties: { ...ANSWER_SCHEMA.properties, id: { type: 'string', enum: ids } } },
    },
  },
})

const isAnswer = new Ajv().compile<ModelCriterionAnswer>(ANSWER_SCHEMA)

/** Longer reasons are truncated to this number of characters. */
const MAX_WHY_LENGTH = 200

/**
 * Parses the reply of a model. It omits malformed answers, unknown rules, and rules with more than one answer.
 * @param ids the keys of the requested rules
 * @returns an empty list for invalid JSON
 */
export function parseModelAnswers(content: string, ids: string[]): ModelCriterionAnswer[] {
  const parsed = tryParseJson(content)
  const items = (parsed as { answers?: unknown } | undefined)?.answers
  if (!Array.isArray(items)) return []
  const answers = items
    .slice(0, 1000)
    .filter((one): one is ModelCriterionAnswer => isAnswer(one) && ids.includes(one.id))
  const counts = new Map<string, number>()
  for (const { id } of answers) counts.set(id, (counts.get(id) ?? 0) + 1)
  return answers
    .filter(({ id }) => counts.get(id) === 1)
    .map((answer) => ({ ...answer, why: answer.why.slice(0, MAX_WHY_LENGTH) }))
}

function tryParseJson(content: string): unknown {
  try {
    return parseJson(stripFence(content.trim()))
  } catch {
    return undefined
  }
}

const FENCE = '```'

/** Removes the Markdown code fence that many models put around JSON. */
function stripFence(text: string): string {
  const firstLineEnd = text.indexOf('\n')
  const isFenced = firstLineEnd > 0 && text.startsWith(FENCE) && text.endsWith(FENCE)
  const language = text.slice(FENCE.length, firstLineEnd).trim()
  return isFenced && ['', 'json'].includes(language) ? text.slice(firstLineEnd, -FENCE.length) : text
}

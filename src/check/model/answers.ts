import { Ajv } from 'ajv'
import { parseJson } from '../../platform/lib/json.ts'

/** The model's answer about one rule. */
export interface CriterionAnswer {
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

/** The schema of the model's answers, with ids as an enum; sent as json_schema. */
export const buildAnswersSchema = (ids: string[]) => ({
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

const isAnswer = new Ajv().compile<CriterionAnswer>(ANSWER_SCHEMA)

/** Longer reasons are cut. */
const MAX_WHY_LENGTH = 200

/** Parses the answers of a model: none for invalid JSON, and none to a criterion answered more than once. */
export function parseAnswers(content: string, ids: string[]): CriterionAnswer[] {
  const parsed = tryParseJson(content)
  const items = (parsed as { answers?: unknown } | undefined)?.answers
  if (!Array.isArray(items)) return []
  const answers = items.slice(0, 1000).filter((one): one is CriterionAnswer => isAnswer(one) && ids.includes(one.id))
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

/** Returns the text inside the fence that many models put around JSON; without a fence, the text itself. */
function stripFence(text: string): string {
  const firstLineEnd = text.indexOf('\n')
  const isFenced = firstLineEnd > 0 && text.startsWith(FENCE) && text.endsWith(FENCE)
  const language = text.slice(FENCE.length, firstLineEnd).trim()
  return isFenced && ['', 'json'].includes(language) ? text.slice(firstLineEnd, -FENCE.length) : text
}

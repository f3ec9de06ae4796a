import { expect } from 'chai'
import Type from 'typebox'
import { collectRuleSetViolations } from '../../check/rules/violations.ts'
import { listApiOperations } from '../../app/api.ts'
import { HttpError, MAX_RESPONSE_VIOLATIONS } from '../errors.ts'
import { validateOperationBody } from './body.ts'
import * as field from './field.ts'
import type { Operation } from './operation.ts'
import { RuleSchema } from '../../check/rules/schema.ts'
import { measureMemoryAfterGc } from '../../test/memory.ts'
import { MAX_LISTED_VIOLATIONS } from '../../check/rule-sets/violations.ts'
import { validateBody, validateTextValues } from './validation.ts'

const LINK_POLICY = { ALLOW_PRIVATE_NETWORK_DOWNLOADS: false }
/** Limits: the size of the largest body and the CPU time of a response to it. */
const BYTES = 1_000_000
const BLOCKED_MS = 50
const TRIES = 5

const MANY_FIELDS = Object.fromEntries(Array.from({ length: BYTES / 12 }, (_, n) => [`f${n}`, 1]))
const FULL_LISTS = [0, {}, '', { a: 1, b: 2 }, MANY_FIELDS, Array.from({ length: 100 }, () => 0)].map((item) =>
  Array.from({ length: Math.floor(BYTES / (JSON.stringify(item).length + 1)) }, () => item),
)

interface Shape {
  type?: string
  properties?: Record<string, Shape>
  items?: Shape
}

/** Generates bodies with as many violations as possible in each object and list of the schema. */
function* generateWorstBodies(
  { type, properties = {}, items }: Shape,
  within: string,
): Generator<[where: string, value: unknown]> {
  if (type === 'object') yield [within, MANY_FIELDS]
  if (type === 'array') for (const list of FULL_LISTS) yield [`${within}[]`, list]
  for (const [name, shape] of Object.entries(properties)) {
    for (const [where, value] of generateWorstBodies(shape, `${within}.${name}`)) yield [where, { [name]: value }]
  }
  for (const [where, value] of items ? generateWorstBodies(items, `${within}[]`) : []) {
    yield [where, [value]]
    if (value === MANY_FIELDS) yield [`${where}: a few each`, FULL_LISTS[3]]
  }
}

const collectMessages = async (check: () => unknown): Promise<string[]> => {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return [error.messages].flat().map(String)
  }
  return []
}

/** Returns true if the body schema of the operation rejects the body. */
function isRejected({ body: schema }: Operation, body: unknown): boolean {
  try {
    validateBody(schema!, body, LINK_POLICY)
    return false
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return true
  }
}

describe('request validation', () => {
  const operations = listApiOperations().filter(({ body }) => body !== undefined)

  /**
   * Returns the CPU time (ms) of the first try within the limit, else the shortest, so that other load does not count. Collects
   * garbage before each retry for the same reason.
   */
  const measureFastest = (work: () => void): number => {
    let spent = Infinity
    for (let n = 0; n < TRIES && spent > BLOCKED_MS; n++) {
      if (n > 0) measureMemoryAfterGc()
      const before = process.cpuUsage()
      work()
      const { user, system } = process.cpuUsage(before)
      spent = Math.min(spent, (user + system) / 1000)
    }
    return spent
  }

  for (const operation of operations) {
    // Violations that the service finds have a separate limit.
    const most = MAX_RESPONSE_VIOLATIONS + (operation.moreViolations ? MAX_LISTED_VIOLATIONS + 1 : 0)
    const limits = `in at most ${most} messages within ${BLOCKED_MS} ms`
    it(`${operation.id} rejects any invalid megabyte ${limits}`, async () => {
      const bodies = [...generateWorstBodies(operation.body as Shape, operation.id)]
      expect(bodies.length).to.be.greaterThan(0)
      for (const [where, body] of bodies) {
        const messages = await collectMessages(() => validateOperationBody(operation, body, LINK_POLICY))
        const spent = measureFastest(() => isRejected(operation, body))
        expect(messages.length, where).to.be.at.most(most)
        expect(spent, where).to.be.at.most(BLOCKED_MS)
      }
    })
  }

  it('the service finds violations in any invalid megabyte of rules', async () => {
    const rules = { type: 'object', properties: { rules: { type: 'array', items: RuleSchema as Shape } } }
    for (const [where, body] of generateWorstBodies(rules, 'set')) {
      const set = { key: 'k', name: { en: 'n', ru: 'n' }, mode: 'score', ...(body as object) }
      expect((await collectRuleSetViolations(set)).length, where).to.be.greaterThan(0)
    }
  })

  it('messages say in plain words how a text, a list or a map is wrong', async () => {
    const schema = field.object({
      note: Type.Optional(Type.String({ pattern: field.NO_NUL_PATTERN })),
      deal: Type.Optional(Type.String({ pattern: field.CRM_ID_PATTERN })),
      name: Type.Optional(field.singleLine(5, 'A name.')),
      ids: Type.Optional(field.list(field.id('An id.'), 'Ids.')),
      map: Type.Optional(Type.Object({}, { maxProperties: 2 })),
    })
    const cases: [body: object, message: string][] = [
      [{ note: 'a\u0000' }, 'note must not contain the character NUL'],
      [{ deal: 'x' }, 'deal must be an id of the CRM: 1 to 18 digits'],
      [{ name: ' ' }, 'name must be text without control characters, and not blank'],
      [{ ids: ['x'] }, 'ids must contain only UUIDs'],
      [{ map: { a: 1, b: 2, c: 3 } }, 'map must contain at most 2 items'],
    ]
    for (const [body, message] of cases)
      expect(await collectMessages(() => validateBody(schema, body, LINK_POLICY))).to.deep.equal([message])
  })

  it('an error response lists a limited number of unknown parameters', async () => {
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`f${n}`, '']))
    const none = Type.Object({}, { additionalProperties: false })
    expect((await collectMessages(() => validateTextValues(none, many, LINK_POLICY))).length).to.equal(
      MAX_RESPONSE_VIOLATIONS,
    )
    expect(await collectMessages(() => validateTextValues(none, { a: '', b: '' }, LINK_POLICY))).to.deep.equal([
      'a is not a known field',
      'b is not a known field',
    ])
  })
})

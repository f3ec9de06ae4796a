import { expect } from 'chai'
import { loadMorphology } from '../platform/lib/morphology.ts'
import { ALLOWED_SLOW_PATTERNS, generateSlowRegExpInputs, collectSourcePatterns } from './source-patterns.ts'
import { WORST_CLIENT_INPUTS } from './worst-inputs.ts'
import { WORST_SERVER_REPLIES } from './worst-replies.ts'

/** A function must not block the event loop longer than this for its worst input. */
const MAX_BLOCKED_MS = 50
/** A single pattern gets less time, because the function around it does other work too. */
const MAX_MATCH_MS = 10
const MAX_TRIES = 5
/** At this length, a non-linear pattern needs about 10 million steps. */
const INPUT_LENGTH = 10_000

/**
 * Measures processor time in milliseconds. Above `limit` it retries and returns the minimum, because other threads of the process
 * count too.
 */
async function measureCpuMs(work: () => unknown, limit = MAX_BLOCKED_MS): Promise<number> {
  let fastestMs = Infinity
  for (let n = 0; n < MAX_TRIES && fastestMs > limit; n++) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    fastestMs = Math.min(fastestMs, (user + system) / 1000)
  }
  return fastestMs
}

const matchPattern = (pattern: RegExp, text: string): unknown =>
  pattern.global ? text.replace(pattern, '') : pattern.exec(text)

describe('regular expressions', () => {
  before(() => loadMorphology())

  for (const [name, read, inputs] of WORST_CLIENT_INPUTS) {
    it(`parsing the worst case of ${name} takes at most ${MAX_BLOCKED_MS} ms`, async () => {
      for (const input of inputs())
        expect(await measureCpuMs(() => read(input)), `${input.slice(0, 30)}…`).to.be.at.most(MAX_BLOCKED_MS)
    })
  }

  // These functions spend most time on work other than patterns, which `npm run bench -- hostile` measures.
  for (const [name, read, inputs] of WORST_SERVER_REPLIES) {
    it(`parsing the worst case of ${name} causes no error`, async () => {
      for (const input of inputs()) await read(input)
    })
  }

  it('all patterns in the sources are linear, except those for bounded text', async () => {
    const patterns = collectSourcePatterns()
    expect(patterns.length).to.be.greaterThan(250)
    const slow = new Set<string>()
    for (const { file, pattern } of patterns)
      for (const input of generateSlowRegExpInputs(pattern, INPUT_LENGTH))
        if ((await measureCpuMs(() => matchPattern(pattern, input), MAX_MATCH_MS)) > MAX_MATCH_MS)
          slow.add(`${file} ${pattern}`)
    expect([...slow].filter((one) => !ALLOWED_SLOW_PATTERNS.has(one))).to.deep.equal([])
  })
})

/**
 * The page of recordings against its own calls of the API made alone: what the panel adds. A proxy between panel and API
 * tells once which calls the page makes, and which of them wait for others; rounds of the page and of those calls alternate.
 * Then the page of a call with its check against the page of the same call without one.
 *
 *   npm run bench:panel -- [check]
 *
 * With `check` only the second part.
 */
import pg from 'pg'
import { dialogueOf, readJudged } from './check-quality.ts'
import { openLooker, took, WITH_OWNER } from './panel-calls.ts'
import { seedCalls } from './seed.ts'
import { median, startStack, verdict } from './support.ts'

const CALLS = 10_000
const ROUNDS = 150
const WARM_UP = 30
const PAGES = ['/recordings', '/recordings?q=delivery&status=DONE']

const stack = await startStack({}, { LOG_LEVEL: 'info', ...WITH_OWNER })
await seedCalls(stack.config.DATABASE_URL, CALLS)
stack.processes.api = await stack.startApi()
const { ask, callsOf, replay, close } = await openLooker(stack)
const panel = await stack.startPanel()
for (const page of process.argv[2] === 'check' ? [] : PAGES) {
  const waves = await callsOf(page)
  const times = { page: [] as number[], calls: [] as number[] }
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const seconds = { page: await took(() => ask(panel.url + page)), calls: await took(() => replay(waves)) }
    if (round < 0) continue
    times.page.push(seconds.page)
    times.calls.push(seconds.calls)
  }
  const [whole, alone] = [median(times.page), median(times.calls)]
  console.log(`${page}: ${whole.toFixed(1)} ms; its ${waves.flat().length} calls alone ${alone.toFixed(1)} ms`)
  verdict(`the page ${page} against its calls of the API`, whole / alone, { atMost: 1.5 })
}
await measureCheck()
await panel.daemon.stop(['SIGTERM', 10_000])
await close()
await stack.stop()
process.exit()

/** The page of a call of 600 words with its check, and of the same call that was never checked. */
async function measureCheck(): Promise<void> {
  const db = new pg.Client({ connectionString: stack.config.DATABASE_URL })
  await db.connect()
  const { rows } = await db.query<{ id: string }>('SELECT recording_id AS id FROM transcripts LIMIT 2')
  const [checked, unchecked] = rows.map(({ id }) => id)
  const turns = readJudged().flatMap((call) => dialogueOf(call).segments)
  const segments = turns.slice(0, 60).map((turn, n) => ({ ...turn, start: 4 * n, end: 4 * n + 4 }))
  const text = segments.map((segment) => segment.text).join('\n')
  await db.query('UPDATE transcripts SET segments = $2, text = $3 WHERE recording_id = ANY($1)', [
    [checked, unchecked],
    JSON.stringify(segments),
    text,
  ])
  await db.query(`UPDATE recordings SET direction = 'OUTBOUND', duration_seconds = 240 WHERE id = ANY($1)`, [
    [checked, unchecked],
  ])
  await db.query(`INSERT INTO analyses (id, recording_id, priority) VALUES (gen_random_uuid(), $1, 8)`, [checked])
  const isDone = async () =>
    (await db.query(`SELECT FROM analyses WHERE status = 'DONE' AND version_id IS NOT NULL`)).rowCount! > 0
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 200))
  await db.end()
  const times = { checked: [] as number[], unchecked: [] as number[] }
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const milliseconds = {
      checked: await took(() => ask(`${panel.url}/recordings/${checked}`)),
      unchecked: await took(() => ask(`${panel.url}/recordings/${unchecked}`)),
    }
    if (round < 0) continue
    times.checked.push(milliseconds.checked)
    times.unchecked.push(milliseconds.unchecked)
  }
  const [whole, without] = [median(times.checked), median(times.unchecked)]
  console.log(`the page of a call with its check: ${whole.toFixed(1)} ms; without: ${without.toFixed(1)} ms`)
  verdict('the page of a call with its check against the page without', whole / without, { atMost: 1.3 })
}

/** Measures when a finished call notifies the subscribers of 50 views, half of which search texts. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { connectToDatabase, seedCalls } from './database.ts'
import {
  BENCH_OWNER_CONFIG,
  OWNER_CREDENTIALS,
  computePercentile,
  reportFigure,
  startStack,
  uploadCall,
  waitForTranscription,
} from './support.ts'

const VIEWS = 50
const CALLS = 10
const POLL_MS = 20
const MAX_DELAY_MS = 5000
const LIMIT_MS = 60_000

const count = Number(process.argv[3] ?? 100_000)
const stack = await startStack(BENCH_OWNER_CONFIG, { api: true, asr: true })
await seedCalls(stack.config.DATABASE_URL, count)
const db = await connectToDatabase(stack.config.DATABASE_URL)
await db.query(
  `WITH owner AS (SELECT id FROM people WHERE email = $1),
   views AS (
     INSERT INTO saved_views (id, person_id, name, filters)
     SELECT gen_random_uuid(), owner.id, 'View ' || n,
            CASE WHEN n % 2 = 0 THEN '{"q": "price"}' ELSE '{"manager": "Anna", "status": "DONE"}' END::jsonb
       FROM owner, generate_series(1, $2::int) n RETURNING id, person_id)
   INSERT INTO view_subscriptions (view_id, person_id) SELECT id, person_id FROM views`,
  [OWNER_CREDENTIALS.email, VIEWS],
)
const file = readFileSync('samples/sales-call.wav')
const delays: number[] = []
for (let n = 0; n < CALLS; n++) {
  const fields = { managerName: 'Anna', callStartedAt: new Date().toISOString() }
  const id = await uploadCall(stack, file, `call-${n}.wav`, fields)
  await waitForTranscription(stack, id, POLL_MS)
  const doneAt = performance.now()
  while ((await countNotifications(id)) < VIEWS) {
    if (performance.now() - doneAt > LIMIT_MS) throw new Error(`${await countNotifications(id)} notifications`)
    await pause(POLL_MS)
  }
  delays.push(performance.now() - doneAt)
}
await db.end()
reportFigure(`from a finished call to the notifications of ${VIEWS} views, p95`, computePercentile(delays, 0.95), { atMost: MAX_DELAY_MS }, ' ms') // prettier-ignore
await stack.stop()
process.exit()

async function countNotifications(id: string): Promise<number> {
  const { rowCount } = await db.query(`SELECT FROM notifications WHERE kind = 'view' AND recording_id = $1`, [id])
  return rowCount ?? 0
}

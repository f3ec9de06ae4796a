/** Measures claims on one database, and whole calls with several worker processes and a simulated recognizer. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { claimJob } from '../src/platform/queue/claims.ts'
import { transcriptionQueue } from '../src/calls/transcription/queue.ts'
import { ScriptedRecognizer } from '../src/test/scripted-recognizer.ts'
import { connectToDatabase, runSqlFile } from './database.ts'
import { computePercentile, startStack, measureMs, reportFigure, type BenchStack } from './support.ts'

const CONNECTION_COUNTS = [1, 4, 16, 64]
const RESPONSE_MS = 200

const [, , , waiting = 1_000_000, seconds = 20, most = 4] = process.argv.map(Number)
const recognizer = await new ScriptedRecognizer().start()
const stack = await startStack({ LOG_LEVEL: 'error', asrUrl: recognizer.url }, { connections: 200 })
await insertWaitingCalls(stack, waiting, Math.min(waiting, 800 * seconds))
for (let workers = 1; workers <= most; workers *= 4) await measureCalls(stack, workers)
for (const connections of CONNECTION_COUNTS) await measureClaims(stack, connections)
await recognizer.stop()
await stack.stop()
process.exit()

/**
 * Inserts queued calls. Only the first `withAudio` calls have audio, because no more can be claimed in time. The audio is the id
 * of the call.
 */
async function insertWaitingCalls({ config }: BenchStack, count: number, withAudio: number): Promise<void> {
  const client = await connectToDatabase(config.DATABASE_URL)
  await runSqlFile(client, 'waiting-calls', { count })
  await client.query('SELECT add_up_recording_counts()')
  await client.query('VACUUM ANALYZE')
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM recordings WHERE status = 'QUEUED' ORDER BY priority DESC, created_at, id LIMIT $1`,
    [withAudio],
  )
  await client.end()
  const folder = join(config.audioDir, 'inserted')
  mkdirSync(folder, { recursive: true })
  for (const { id } of rows) writeFileSync(join(folder, id), id)
}

/** Compares claims with updates of the same columns by id, which find their row directly. */
async function measureClaims({ config }: BenchStack, connections: number): Promise<void> {
  const pool = new pg.Pool({ connectionString: config.DATABASE_URL, max: connections })
  pool.on('error', () => undefined) // An idle connection can outlive end() until the database stops.
  const period = Math.min(10, seconds)
  const measureFor = async (work: () => Promise<unknown>): Promise<number[]> => {
    const times: number[] = []
    const until = performance.now() + period * 1000
    const repeat = async () => {
      while (performance.now() < until) times.push(await measureMs(work))
    }
    await Promise.all(Array.from({ length: connections }, repeat))
    return times
  }
  const ids: string[] = []
  const claims = await measureFor(async () => ids.push((await claimJob(pool, transcriptionQueue))!.id))
  const waiting = await pool.query<{ id: string }>(
    `SELECT id FROM recordings WHERE status = 'QUEUED' LIMIT ${period * 4000}`,
  )
  const update = `UPDATE recordings SET status = 'PROCESSING', attempts = attempts + 1, attempt_token = gen_random_uuid(),
                         started_at = now(), lease_until = now() WHERE id = $1`
  const updates = await measureFor(() => pool.query(update, [waiting.rows.pop()!.id]))
  const [claimMs, updateMs] = [computePercentile(claims, 0.95), computePercentile(updates, 0.95)]
  reportFigure(`claims a second by ${connections} connections`, ids.length / period, { atLeast: 300 })
  reportFigure(
    `claims against updates by id (${updateMs.toFixed(1)} ms), 95th percentile`,
    claimMs / updateMs,
    { atMost: 2.5 },
    ' ×',
  )
  reportFigure('claims of a job that was claimed before', ids.length - new Set(ids).size, { atMost: 0 })
  await pool.end()
}

async function measureCalls(stack: BenchStack, workers: number): Promise<void> {
  recognizer.pending.length = 0
  recognizer.answer = (recognition) => setTimeout(() => recognition.finish(), RESPONSE_MS)
  const processes = []
  for (let n = 0; n < workers; n++) processes.push(await stack.startWorker())
  await pause(seconds * 1000)
  await Promise.all(processes.map((worker) => worker.stop(['SIGTERM', 60_000])))
  const audios = recognizer.pending.map(({ audio }) => audio.toString())
  const claimedTwice = audios.length - new Set(audios).size
  reportFigure(`calls sent to the recognizer twice by ${workers} workers`, claimedTwice, { atMost: 0 })
}

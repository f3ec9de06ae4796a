import { expect } from 'chai'
import { CallbackReceiver } from '../../test/callback-receiver.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { insertQueuedRecordings, startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('queues after a clock shift', () => {
  const recognizer = new ScriptedRecognizer()
  const receiver = new CallbackReceiver()
  let app: TestApp
  before(async () => {
    await Promise.all([recognizer.start(), receiver.start()])
    recognizer.answer = (recognition) => recognition.finish('hello')
    app = await startTestApp({ asrUrl: recognizer.url, ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
  })
  after(async () => {
    await app.stop()
    await Promise.all([recognizer.stop(), receiver.stop()])
  })
  /** Moves all schedules a day ahead, as if the clock was set back. Pause the queue first, so that no worker claims a job. */
  async function setBack(table: 'recordings' | 'deliveries'): Promise<void> {
    await app.db.query(`
      UPDATE ${table} SET next_attempt_at = next_attempt_at + interval '1 day', lease_until = lease_until + interval '1 day'
       WHERE status IN ('QUEUED', 'PROCESSING')`)
  }
  const pause = (queue: string) => app.db.query('INSERT INTO paused_queues (name) VALUES ($1)', [queue])
  const resume = () => app.db.query('DELETE FROM paused_queues')
  const countRows = async (table: string, status: string): Promise<number> =>
    (await app.db.query(`SELECT count(*)::int AS n FROM ${table} WHERE status = $1`, [status])).rows[0].n

  it('recordings and callbacks start at once after the database clock was set back', async () => {
    await pause('transcription')
    await pause('callbacks')
    await insertQueuedRecordings(app, 3, receiver.url)
    await setBack('recordings')
    await app.db.query(`DELETE FROM paused_queues WHERE name = 'transcription'`)
    await waitUntil('the recordings are done', async () => (await countRows('recordings', 'DONE')) === 3)
    await setBack('deliveries')
    await resume()
    await waitUntil('the callbacks are delivered', async () => (await countRows('deliveries', 'DELIVERED')) === 3)
  })

  it('the service shortens the lease of a dead worker after the clock was set back', async () => {
    const [id] = await insertQueuedRecordings(app, 1)
    await waitUntil('it is done', async () => (await countRows('recordings', 'DONE')) === 4)
    await app.db.query(
      `UPDATE recordings SET status = 'PROCESSING', attempt_token = gen_random_uuid(),
              lease_until = now() + interval '1 day' WHERE id = $1`,
      [id],
    )
    const lease = await waitUntil('its lease is a usual one', async () => {
      const { rows } = await app.db.query(
        `SELECT extract(epoch FROM lease_until - now())::float AS s FROM recordings WHERE id = $1`,
        [id],
      )
      return rows[0].s < 60 && { seconds: rows[0].s as number }
    })
    expect(lease).to.not.equal(false)
  })

  it('the service keeps the configured pause of a failed job', async () => {
    const [id] = await insertQueuedRecordings(app, 1)
    await pause('transcription')
    await app.db.query(
      `UPDATE recordings SET status = 'QUEUED', attempt_token = NULL, lease_until = NULL,
              next_attempt_at = now() + interval '8 minutes' WHERE id = $1`,
      [id],
    )
    // The same statement makes the other job due, although its schedule is a day ahead.
    const [other] = await insertQueuedRecordings(app, 1)
    await app.db.query(`UPDATE recordings SET next_attempt_at = now() + interval '1 day' WHERE id = $1`, [other])
    const isDue = async (of?: string) =>
      (await app.db.query('SELECT next_attempt_at <= now() AS due FROM recordings WHERE id = $1', [of])).rows[0].due
    await waitUntil('the neighbour is due', () => isDue(other))
    expect(await isDue(id)).to.equal(false)
  })
})

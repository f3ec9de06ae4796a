import { expect } from 'chai'
import { insertQueuedRecordings, startTestApp, type TestApp } from '../../test/server.ts'

describe('estimated end of a transcription', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())
  afterEach(async () => {
    await query('DELETE FROM recordings')
    await query('DELETE FROM paused_queues')
  })

  const query = async (sql: string, ...values: unknown[]) => (await app.db.query(sql, values)).rows
  const queue = async () => (await app.ida.get('/v1/queue')).json
  const progress = async (id: string) => (await app.ida.get(`/v1/recordings/${id}`)).json.progress
  const pause = (name: string) => app.olga.post(`/v1/queues/${name}/pause`)

  /**
   * Inserts recordings that ended some minutes ago. Each one has `audio` seconds and `bytes`, and was recognized within
   * `seconds`.
   */
  async function insertMeasuredCalls(
    count: number,
    seconds: number,
    audio: number,
    bytes: number,
    atOnce = 1,
  ): Promise<void> {
    await query(
      `INSERT INTO recordings (id, source, storage_key, size_bytes, status, duration_seconds, started_at, finished_at)
       SELECT gen_random_uuid(), 'upload', 'done/' || random(), $4, 'DONE', $3,
              now() - interval '1 hour' + n / $5 * make_interval(secs => $2 + 60),
              now() - interval '1 hour' + n / $5 * make_interval(secs => $2 + 60) + make_interval(secs => $2)
         FROM generate_series(0, $1 - 1) n`,
      count,
      seconds,
      audio,
      bytes,
      atOnce,
    )
  }

  it('without measured calls, a recording has a position but no estimate', async () => {
    await pause('transcription')
    const [id] = await insertQueuedRecordings(app, 2)
    expect(await progress(id!)).to.include({ position: 1, etaSeconds: null })
    expect(await queue()).to.include({ waiting: 2, waitingAudioSeconds: null, etaSeconds: null })
  })

  it('only a waiting recording shows that its queue is paused', async () => {
    const [waiting, running] = await insertQueuedRecordings(app, 2)
    await query(`UPDATE recordings SET status = 'PROCESSING', started_at = now(), attempt_token = gen_random_uuid(),
                        lease_until = now() + interval '1 hour' WHERE id = $1`, running)
    expect(await progress(waiting!)).not.to.have.property('paused')
    await pause('transcription')
    expect(await progress(waiting!)).to.include({ paused: true, position: 1 })
    expect(await progress(running!)).not.to.have.property('paused')
    const { items } = (await app.ida.get('/v1/recordings?status=QUEUED')).json
    expect(items[0].progress.paused).to.equal(true)
  }) // prettier-ignore

  it('the estimate uses the measured speed, the calls ahead, and sizes for unknown lengths', async () => {
    await pause('transcription')
    // These calls took 10 s for 100 s of audio in 36 bytes. Each test file has 36 bytes, so its estimated length is 100 s.
    await insertMeasuredCalls(10, 10, 100, 36)
    const ids = await insertQueuedRecordings(app, 3)
    await query('UPDATE recordings SET priority = 5 WHERE id = $1', ids[2])
    const known = await Promise.all(ids.map(progress))
    expect(known.map(({ position }) => position)).to.deep.equal([2, 3, 1])
    expect(known.map(({ etaSeconds }) => etaSeconds)).to.deep.equal([20, 30, 10])
    expect(await queue()).to.include({ waiting: 3, waitingAudioSeconds: 300, etaSeconds: 30 })
    await query('UPDATE recordings SET duration_seconds = 200 WHERE id = $1', ids[2])
    expect((await progress(ids[1]!)).etaSeconds, 'a known length counts').to.equal(40)
    await query(`UPDATE recordings SET next_attempt_at = now() + interval '500 s' WHERE id = $1`, ids[2])
    expect((await progress(ids[2]!)).etaSeconds, 'a pause counts').to.be.within(515, 520)
    const list = (await app.ida.get('/v1/recordings?pageSize=100')).json.items
    const listed = list.find((item: { id: string }) => item.id === ids[1])
    expect(listed.progress, 'lists agree').to.deep.equal(await progress(ids[1]!))
  })

  it('the estimate counts parallel recognitions and ignores idle time', async () => {
    await pause('transcription')
    await insertMeasuredCalls(10, 10, 100, 36, 2)
    await insertQueuedRecordings(app, 4)
    expect((await queue()).etaSeconds).to.equal(20)
  })

  it('the estimate ignores demo calls, which have no audio', async () => {
    await pause('transcription')
    await insertMeasuredCalls(10, 10, 100, 36)
    await query(
      `UPDATE recordings SET finished_at = finished_at - interval '1 day', started_at = started_at - interval '1 day'`,
    )
    await insertMeasuredCalls(50, 60, 60, 0)
    await insertQueuedRecordings(app, 2)
    expect(await queue()).to.include({ waiting: 2, waitingAudioSeconds: 200, etaSeconds: 20 })
  })

  it('the estimate uses only the last 50 calls', async () => {
    await pause('transcription')
    await insertMeasuredCalls(50, 10, 100, 36)
    await query(
      `UPDATE recordings SET started_at = started_at - interval '1 day', finished_at = finished_at - interval '1 day'`,
    )
    await insertMeasuredCalls(50, 1, 100, 36)
    await insertQueuedRecordings(app, 1)
    expect((await queue()).etaSeconds).to.equal(1)
  })

  it('a running call has the rest of its usual time, unless its progress contradicts', async () => {
    await pause('transcription')
    await insertMeasuredCalls(10, 10, 100, 36)
    const [running, waiting] = (await insertQueuedRecordings(app, 2)) as [string, string]
    await query(
      `UPDATE recordings SET status = 'PROCESSING', started_at = now() - interval '4 s', progress_percent = 0,
              lease_until = 'infinity' WHERE id = $1`,
      running,
    )
    expect((await progress(running)).etaSeconds).to.be.within(5, 6)
    await query('UPDATE recordings SET progress_percent = 50 WHERE id = $1', running)
    expect((await progress(running)).etaSeconds, 'the progress is no measure').to.be.within(5, 6)
    await query('UPDATE recordings SET progress_percent = 80 WHERE id = $1', running)
    expect((await progress(running)).etaSeconds, 'the progress is much faster').to.equal(null)
    expect((await progress(waiting)).etaSeconds).to.be.within(15, 16)
    const { etaSeconds, ...counts } = await queue()
    expect(counts).to.include({ waiting: 1, running: 1 })
    expect(etaSeconds).to.be.within(15, 16)
    await query(`UPDATE recordings SET started_at = now() - interval '11 s' WHERE id = $1`, running)
    expect((await progress(running)).etaSeconds, 'longer than usual').to.equal(null)
  })

  it('the estimate is null until five calls are measured', async () => {
    await pause('transcription')
    await insertMeasuredCalls(4, 10, 100, 36)
    const [id] = await insertQueuedRecordings(app, 1)
    expect((await progress(id!)).etaSeconds).to.equal(null)
    await insertMeasuredCalls(1, 10, 100, 36)
    expect((await progress(id!)).etaSeconds).to.equal(10)
  })

  it('the estimate is null for a call much longer than the measured ones, and for its queue', async () => {
    await pause('transcription')
    await insertMeasuredCalls(10, 10, 100, 36)
    const [id] = await insertQueuedRecordings(app, 1)
    await query('UPDATE recordings SET duration_seconds = 201 WHERE id = $1', id)
    expect((await progress(id!)).etaSeconds).to.equal(null)
    expect((await queue()).etaSeconds).to.equal(null)
  })

  it('the estimate is null if the measured calls differ too much', async () => {
    await pause('transcription')
    await insertMeasuredCalls(5, 10, 100, 36)
    await insertMeasuredCalls(5, 50, 100, 36)
    const [id] = await insertQueuedRecordings(app, 1)
    expect((await progress(id!)).etaSeconds).to.equal(null)
    expect((await queue()).etaSeconds).to.equal(null)
  })

  it('the estimate gives short calls more time per second of audio', async () => {
    await pause('transcription')
    await insertMeasuredCalls(10, 4, 20, 36)
    await insertMeasuredCalls(10, 22, 200, 36)
    const [id] = await insertQueuedRecordings(app, 1)
    const estimate = async (seconds: number) => {
      await query('UPDATE recordings SET duration_seconds = $2 WHERE id = $1', id, seconds)
      return (await progress(id!)).etaSeconds
    }
    expect(await estimate(20)).to.equal(4)
    expect(await estimate(100)).to.equal(12)
  })
})

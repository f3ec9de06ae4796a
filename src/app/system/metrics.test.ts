import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import pg from 'pg'
import type { Logger } from '../../platform/lib/log.ts'
import { serveMetrics } from '../../platform/lib/serve-metrics.ts'
import { CallbackReceiver } from '../../test/callback-receiver.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { insertQueuedRecordings, startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('metrics', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  const read = async () => {
    const response = await fetch(app.metricsUrl)
    return { headers: response.headers, text: await response.text() }
  }

  it('metrics have their own port, which serves nothing else', async () => {
    expect((await app.nobody.get('/metrics')).status).to.equal(404)
    expect((await app.ida.get('/metrics')).status).to.equal(404)
    const { origin } = new URL(app.metricsUrl)
    for (const path of ['/', '/healthz', '/v1/recordings', '/metrics/']) {
      expect((await fetch(origin + path, { headers: app.ida.headers })).status, path).to.equal(404)
    }
    expect((await fetch(app.metricsUrl, { method: 'POST' })).status).to.equal(405)
    expect((await fetch(`${app.metricsUrl}?t=1`, { method: 'HEAD' })).status).to.equal(200)
  })

  it('a worker serves metrics, whose counters start at 0', async () => {
    const worker = await startTestApp({ API_RUN_MODE: 'worker' })
    try {
      await insertQueuedRecordings(worker, 1)
      const text = await (await fetch(worker.metricsUrl)).text()
      expect(text).to.match(/^svc_queue_jobs\{queue="transcription",state="waiting"\} \d$/m)
      // Prometheus computes no increase for a series that starts with 1, so all series must start with 0.
      for (const outcome of ['done', 'retry', 'failed', 'released']) {
        expect(text).to.include(`\nsvc_attempt_duration_seconds_count{queue="crm-write",outcome="${outcome}"} 0\n`)
      }
    } finally {
      await worker.stop()
    }
  })

  it('if the metrics port is taken, the log has the reason, and no error occurs', async () => {
    const lines: string[] = []
    const log = {
      warn: (what: object, text: string) => lines.push(`${text}: ${JSON.stringify(what)}`),
    } as unknown as Logger
    const { port } = new URL(app.metricsUrl)
    expect(await serveMetrics({ host: '127.0.0.1', port: Number(port) }, log)).to.equal(undefined)
    expect(lines.join()).to.match(/^metrics are not served: .*is taken/)
  })

  it('metrics show requests by operation, queues by state, and the recognition speed', async () => {
    await insertQueuedRecordings(app, 2)
    await app.olga.post('/v1/queues/callbacks/pause')
    await app.ida.get('/v1/nothing')
    const first = await read()
    expect(first.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/)
    for (const line of [
      /^http_request_duration_seconds_count\{operation="pauseQueue",status="200"\} \d+$/m,
      /^http_request_duration_seconds_count\{operation="none",status="404"\} \d+$/m,
      /^svc_queue_jobs\{queue="transcription",state="waiting"\} 2$/m,
      /^svc_queue_jobs\{queue="callbacks",state="failed"\} 0$/m,
      /^svc_queue_paused\{queue="callbacks"\} 1$/m,
      /^svc_oldest_waiting_timestamp_seconds 1\d{9}(\.\d+)?$/m,
      /^svc_queue_oldest_due_seconds\{queue="transcription"\} \d+(\.\d+)?$/m,
      /^svc_queue_oldest_due_seconds\{queue="callbacks"\} 0$/m,
      /^svc_database_seconds \d/m,
      /^svc_up\{part="database"\} 1$/m,
      /^svc_up\{part="redis"\} 1$/m,
      /^svc_up\{part="asr"\} [01]$/m,
      /^svc_up\{part="storage"\} 1$/m,
      /^svc_component\{component="http"\} 1$/m,
      /^svc_ingestion_refused_total \d+$/m,
      /^svc_storage_free_bytes [1-9]\d+/m,
      /^svc_search_unindexed_texts 0$/m,
      /^process_resident_memory_bytes \d+$/m,
      /^nodejs_eventloop_lag_seconds /m,
    ]) {
      expect(first.text).to.match(line)
    }
    expect(first.text).to.not.match(/^svc_recognition_speed /m)
    await insertQueuedRecordings(app, 3) // The metric requires at least five recordings.
    await app.db.query(
      `UPDATE recordings SET status = 'DONE', duration_seconds = 60, started_at = now() - interval '10 s', finished_at = now()`,
    )
    const second = await read()
    expect(second.text).to.match(/^svc_recognition_speed (29|30)(\.\d+)?$/m)
    expect(second.text).to.match(/^svc_queue_jobs\{queue="transcription",state="waiting"\} 0$/m)
    expect(second.text).to.not.match(/^svc_oldest_waiting/m)
  })

  it('docs/monitoring.md describes each metric of the product', async () => {
    const names = [...(await read()).text.matchAll(/^# TYPE ((?:svc|http)_\w+)/gm)].map(([, name]) => name!)
    const document = readFileSync('docs/monitoring.md', 'utf8')
    expect(names.length).to.be.greaterThan(20)
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(document))).to.deep.equal([])
  })

  it('metrics count the replicas of the database', async () => {
    const shown = async () => /^svc_database_replicas (\d+)$/m.exec((await read()).text)?.[1]
    await waitUntil('none is counted', async () => (await shown()) === '0')
    const options = { connectionString: app.config.DATABASE_URL, replication: 'database', application_name: 'replica' }
    const replica = new pg.Client(options)
    replica.on('error', () => undefined)
    await replica.connect()
    const { xlogpos } = (await replica.query('IDENTIFY_SYSTEM')).rows[0]
    replica.query(`START_REPLICATION PHYSICAL ${xlogpos}`).catch(() => undefined)
    await waitUntil('it is counted', async () => (await shown()) === '1')
    await replica.end()
    await waitUntil('it is missed', async () => (await shown()) === '0')
  })
})

describe('metrics of attempts', () => {
  it('metrics count attempts by queue and outcome', async () => {
    const recognizer = await new ScriptedRecognizer().start()
    const receiver = await new CallbackReceiver().start()
    recognizer.answer = (recognition) => {
      const audio = recognition.audio.toString()
      if (audio === 'bad') recognition.fail('UNSUPPORTED_AUDIO', 'not a sound')
      else if (audio === 'again' && recognizer.recognitionsOf('again').length === 1)
        recognition.fail('INTERNAL', 'once')
      else recognition.finish()
    }
    receiver.answer = (_, response) => response.writeHead(410).end()
    const app = await startTestApp({
      asrUrl: recognizer.url,
      ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
      TRANSCRIPTION_RETRY_DELAY_SECONDS: 3600, // no second attempt while the first ones are counted
    })
    try {
      const count = async (queue: string, outcome: string) => {
        const text = await (await fetch(app.metricsUrl)).text()
        const line = `svc_attempt_duration_seconds_count{queue="${queue}",outcome="${outcome}"} `
        return Number(
          text
            .split('\n')
            .find((one) => one.startsWith(line))
            ?.slice(line.length) ?? 0,
        )
      }
      const outcomes = [
        ['transcription', 'done'],
        ['transcription', 'retry'],
        ['transcription', 'failed'],
        ['callbacks', 'failed'],
      ] as const
      const before = await Promise.all(outcomes.map(([queue, outcome]) => count(queue, outcome)))
      await app.ida.upload('good', { callbackUrl: `${receiver.url}/gone` })
      for (const audio of ['again', 'bad']) await app.ida.upload(audio)
      await waitUntil('each has ended once', async () => {
        const now = await Promise.all(outcomes.map(([queue, outcome]) => count(queue, outcome)))
        return now.every((value, n) => value === before[n]! + 1)
      })
    } finally {
      await app.stop()
      await Promise.all([recognizer.stop(), receiver.stop()])
    }
  })
})

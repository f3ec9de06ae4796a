import { expect } from 'chai'
import { Receiver } from '../test/receiver.ts'
import { ScriptedRecognizer } from '../test/recognizer.ts'
import { insertRecordings, startWorld, type TestWorld } from '../test/server.ts'
import { until } from '../test/wait.ts'

describe('GET /metrics', () => {
  let world: TestWorld
  before(async () => {
    world = await startWorld({ API_RUN_MODE: 'api', TRUSTED_PROXY_HOPS: 1 })
  })
  after(() => world.stop())

  const statusFor = async (forwarded?: string) =>
    (await world.nobody.get('/metrics', forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded })).status

  it('answers callers on this machine and in private networks, and is 404 for all others', async () => {
    expect(await statusFor(), 'no proxy between').to.equal(200)
    for (const address of ['127.0.0.1', '::1', '10.0.0.9', '172.16.3.4', '192.168.1.1', 'fd00::1', '::ffff:10.0.0.9']) {
      expect(await statusFor(address), address).to.equal(200)
    }
    for (const address of [
      '203.0.113.9',
      '2001:4860::1',
      '172.32.0.1',
      '100.64.0.1',
      '::ffff:8.8.8.8',
      'unknown',
      '10.1',
    ]) {
      expect(await statusFor(address), address).to.equal(404)
    }
  })

  it('believes only what TRUSTED_PROXY_HOPS proxies say', async () => {
    expect(await statusFor('127.0.0.1, 203.0.113.9'), 'forged before the proxy’s own').to.equal(404)
    expect(await statusFor('203.0.113.9, 10.0.0.9')).to.equal(200)
    await world.restart({ TRUSTED_PROXY_HOPS: 0 })
    expect(await statusFor('203.0.113.9'), 'no proxy is trusted').to.equal(200)
    await world.restart({ TRUSTED_PROXY_HOPS: 2 })
    expect(await statusFor('127.0.0.1, 203.0.113.9, 10.0.0.1')).to.equal(404)
    await world.restart({ TRUSTED_PROXY_HOPS: 1 })
  })

  it('shows requests by operation and status, queues by state, and the speed of recognition once there is one', async () => {
    await insertRecordings(world, 2)
    await world.olga.post('/v1/queues/callbacks/pause')
    await world.ida.get('/v1/nothing')
    const first = await world.nobody.get('/metrics')
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
      /^svc_up\{part="database"\} 1$/m,
      /^svc_up\{part="redis"\} 1$/m,
      /^svc_up\{part="asr"\} [01]$/m,
      /^svc_storage_free_bytes [1-9]\d+/m,
      /^process_resident_memory_bytes \d+$/m,
      /^nodejs_eventloop_lag_seconds /m,
    ]) {
      expect(first.text).to.match(line)
    }
    expect(first.text).to.not.match(/^svc_recognition_speed /m)
    await world.db.query(
      `UPDATE recordings SET status = 'DONE', duration_seconds = 60, started_at = now() - interval '10 s', finished_at = now()`,
    )
    const second = await world.nobody.get('/metrics')
    expect(second.text).to.match(/^svc_recognition_speed 1[12](\.\d+)?$/m)
    expect(second.text).to.match(/^svc_queue_jobs\{queue="transcription",state="waiting"\} 0$/m)
    expect(second.text).to.not.match(/^svc_oldest_waiting/m)
  })
})

describe('metrics of work', () => {
  it('count attempts by queue and outcome, with their durations', async () => {
    const recognizer = await new ScriptedRecognizer().start()
    const receiver = await new Receiver().start()
    recognizer.answer = (recognition) => {
      const audio = recognition.audio.toString()
      if (audio === 'bad') recognition.fail('UNSUPPORTED_AUDIO', 'not a sound')
      else if (audio === 'again' && recognizer.of('again').length === 1) recognition.fail('INTERNAL', 'once')
      else recognition.finish()
    }
    receiver.answer = (_, response) => response.writeHead(410).end()
    const world = await startWorld({ asrUrl: recognizer.url, ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
    try {
      const count = async (queue: string, outcome: string) => {
        const { text } = await world.nobody.get('/metrics')
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
      await world.ida.upload('good', { callbackUrl: `${receiver.url}/gone` })
      for (const audio of ['again', 'bad']) await world.ida.upload(audio)
      await until('each has ended once', async () => {
        const now = await Promise.all(outcomes.map(([queue, outcome]) => count(queue, outcome)))
        return now.every((value, n) => value === before[n]! + 1)
      })
    } finally {
      await world.stop()
      await Promise.all([recognizer.stop(), receiver.stop()])
    }
  })
})

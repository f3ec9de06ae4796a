import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { findFreePort } from '../app/embedded/index.ts'
import { chooseRepeatCount } from '../test/repeat-count.ts'
import {
  SAMPLE_CALL_PATH,
  forkRecognizer,
  encodeLongSampleCall,
  TestAudioFolder,
  TestRecognizer,
  normalizeTranscriptText,
} from '../test/test-recognizer.ts'
import { waitUntil } from '../test/wait.ts'

describe('recognizer process', () => {
  const sounds = new TestAudioFolder()
  let long: string
  before(() => void (long = encodeLongSampleCall(sounds)))
  after(() => sounds.remove())

  it('SIGTERM stops the recognizer during a file and leaves no temporary files', async () => {
    const recognizer = await TestRecognizer.start({ ASR_MAX_CONCURRENCY: 1 })
    const running = recognizer.transcribe(long)
    await waitUntil('ffmpeg runs', () => recognizer.childPids().length > 0)
    const [code] = await Promise.all([recognizer.stop(), running.catch(() => undefined)])
    expect(code).to.equal(0)
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`svc-asr-${recognizer.pid}-`))).to.deep.equal([])
  })

  it('the recognizer exits with 0 and deletes all audio if stopped during recognition', async () => {
    for (let round = 0; round < chooseRepeatCount(2, 8); round++) {
      const recognizer = await TestRecognizer.start({ ASR_MAX_CONCURRENCY: 2 })
      let progress = 0
      const running = Array.from({ length: 2 }, () =>
        recognizer
          .transcribe(long, {}, (line) => void (line.type === 'progress' && line.processedSeconds > 0 && progress++))
          .catch(() => undefined),
      )
      await waitUntil('the progress grows', () => progress > round)
      const [code] = await Promise.all([recognizer.stop(), ...running])
      expect(code, `round ${round}`).to.equal(0)
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`svc-asr-${recognizer.pid}-`))).to.deep.equal([])
    }
  })

  it('the recognizer removes folders of crashed processes, not of running ones', async () => {
    const ended = spawn('true')
    await once(ended, 'exit')
    const started = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ')[19]
    const left = join(tmpdir(), `svc-asr-${ended.pid}-1-left`)
    const used = join(tmpdir(), `svc-asr-${process.pid}-${started}-used`)
    const before = join(tmpdir(), `svc-asr-${process.pid}-1-before`) // A previous process had the same id.
    for (const folder of [left, used, before]) mkdirSync(join(folder, '1'), { recursive: true })
    const recognizer = await TestRecognizer.start({ ASR_MAX_CONCURRENCY: 1 })
    await recognizer.stop()
    expect([existsSync(left), existsSync(used), existsSync(before)]).to.deep.equal([false, true, false])
    rmSync(used, { recursive: true })
  })

  it('the recognizer serves its metrics only on the metrics port', async () => {
    const metricsPort = await findFreePort()
    const recognizer = await TestRecognizer.start({ ASR_MAX_CONCURRENCY: 1, metricsPort })
    try {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      expect(text)
        .to.match(/^svc_recognizer_files\{state="running"\} 0$/m)
        .and.match(/^svc_recognizer_files\{state="waiting"\} 0$/m)
        .and.match(/^process_resident_memory_bytes \d+$/m)
      expect((await recognizer.get('/metrics')).status).to.equal(404)
    } finally {
      await recognizer.stop()
    }
  })

  it('the error for an unknown ASR_MODEL lists the known models', async () => {
    const { ended } = forkRecognizer({ ASR_MODEL: 'no-such-model' as 't-one' })
    const { code, output } = await ended
    expect(code).to.equal(1)
    expect(output).to.include('ASR_MODEL: ').and.include('moonshine-base-en').and.include('moonshine-tiny-en')
  })

  it('more files than threads get the same texts as alone', async () => {
    const recognizer = await TestRecognizer.start({ ASR_MAX_CONCURRENCY: 2 * availableParallelism() + 1 })
    const queries = Array.from({ length: 2 * availableParallelism() }, (_, n) => (n % 2 ? '' : '?decoder=beam_search'))
    try {
      const alone = [
        await recognizer.transcript(SAMPLE_CALL_PATH, queries[0]),
        await recognizer.transcript(SAMPLE_CALL_PATH, queries[1]),
      ]
      const abort = new AbortController()
      const givenUp = recognizer.transcribe(long, { signal: abort.signal }).catch(() => 'aborted')
      await waitUntil('one file runs', async () => (await recognizer.fetchReadiness()).queue.running === 1)
      const together = queries.map((query) => recognizer.transcript(SAMPLE_CALL_PATH, query))
      await waitUntil('several files run', async () => (await recognizer.fetchReadiness()).queue.running > 1)
      abort.abort()
      expect(await givenUp).to.equal('aborted')
      for (const [n, text] of (await Promise.all(together)).entries()) expect(text).to.deep.equal(alone[n % 2])
    } finally {
      await recognizer.stop()
    }
  })

  it('the base model recognizes the sample call word for word', async () => {
    const recognizer = await TestRecognizer.start({ ASR_MODEL: 'moonshine-base-en', ASR_MAX_CONCURRENCY: 1 })
    try {
      for (const decoder of ['greedy', 'beam_search']) {
        const { text } = await recognizer.transcript(SAMPLE_CALL_PATH, `?decoder=${decoder}`)
        expect(normalizeTranscriptText(text)).to.equal(
          'good morning how can i help you today hello i am waiting for my delivery it was supposed to arrive on monday ' +
            'i am sorry about that your parcel will be there on friday at noon great thank you very much for your help',
        )
      }
    } finally {
      await recognizer.stop()
    }
  })
})

import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { TestAudioFolder, SAMPLE_CALL_PATH, TEST_ASR_API_KEY, TestRecognizer } from '../test/test-recognizer.ts'
import type { RecognitionResult, SeparationResult } from './contract.ts'

describe('speakers in recognizer responses', () => {
  const sounds = new TestAudioFolder()
  let recognizer: TestRecognizer
  before(async () => {
    recognizer = await TestRecognizer.start()
  })
  after(async () => {
    await recognizer.stop()
    sounds.remove()
  })

  const encodeMono = () => sounds.encodeFile('mono.wav', '-i', SAMPLE_CALL_PATH, '-ac', '1')

  async function transcribe(file: string, separateSpeakers: boolean): Promise<RecognitionResult> {
    const { lines } = await recognizer.transcribe(file, { separateSpeakers })
    const last = lines.at(-1)
    if (last?.type !== 'result') throw new Error('no result')
    const percents = lines.flatMap((line) => (line.type === 'progress' ? line.processedSeconds : []))
    expect(percents).to.deep.equal(percents.toSorted((a, b) => a - b))
    return last
  }

  async function separate(body: string | Buffer, text: object): Promise<{ status: number; last: unknown }> {
    const audio = typeof body === 'string' ? readFileSync(body) : body
    const { status, lines, text: answer } = await recognizer.post('/separate', [JSON.stringify(text), '\n', audio])
    return { status, last: lines.at(-1) ?? answer }
  }

  it('the speakers of a stereo call are its channels', async () => {
    const { speakers, transcript } = await transcribe(SAMPLE_CALL_PATH, true)
    expect(speakers).to.deep.equal({ method: 'channels', confidence: 1 })
    for (const { channel, speaker } of transcript.segments) expect(speaker).to.equal(channel)
  })

  it('speakers on one channel stay unknown unless the request asks for them', async () => {
    const { speakers, transcript } = await transcribe(encodeMono(), false)
    expect(speakers).to.deep.equal({ method: 'none', confidence: null })
    for (const { speaker } of transcript.segments) expect(speaker).to.equal(null)
  })

  it('a later separation finds the same speakers as the transcription', async () => {
    const file = encodeMono()
    const { transcript, words, speakers, audio } = await transcribe(file, true)
    const plain = await transcribe(file, false)
    const { status, last } = await separate(file, { segments: plain.transcript.segments, words: plain.words })
    expect(status).to.equal(200)
    const result = last as SeparationResult
    expect(result.speakers).to.deep.equal(speakers)
    expect(result.words).to.deep.equal(words)
    expect(result.segments.map(({ text, speaker }) => [text, speaker])).to.deep.equal(
      transcript.segments.map(({ text, speaker }) => [text, speaker]),
    )
    expect(result.audio?.silent).to.deep.equal(audio.silent)
  })

  for (const [what, text] of [
    ['missing words', { segments: [] }],
    ['words of another text', { segments: [{ start: 0, end: 1, channel: 0, text: 'one two' }], words: [[[0, 1, 1]]] }],
  ] as const)
    it(`/separate rejects a body with ${what}`, async () => {
      expect((await separate(SAMPLE_CALL_PATH, text)).status).to.equal(400)
    })

  it('/separate requires the key', async () => {
    const { status } = await recognizer.post('/separate', ['{}\n'], `no ${TEST_ASR_API_KEY}`)
    expect(status).to.equal(401)
  })
})

import { expect } from 'chai'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import type { TranscriptSegment } from './entity.ts'

describe('GET /v1/recordings/{id}/transcript', () => {
  let app: TestApp
  const recognizer = new ScriptedRecognizer()

  before(async () => {
    await recognizer.start()
    app = await startTestApp({ asrUrl: recognizer.url })
  })
  after(async () => {
    await app.stop()
    await recognizer.stop()
  })

  async function insertTranscribedCall(segments: TranscriptSegment[]): Promise<string> {
    const audio = `sound ${Math.random()}`
    const { id } = (await app.ida.upload(audio)).json
    ;(await recognizer.waitForRecognition(audio)).finish(segments)
    await waitUntil('it is DONE', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'DONE')
    return `/v1/recordings/${id}/transcript`
  }

  const oneVoice: TranscriptSegment[] = [
    { start: 0.32, end: 2.5, channel: 0, text: 'Good morning.' },
    { start: 3725.0004, end: 3727.9996, channel: 0, text: 'A & B <c> --> d' },
  ]
  const twoVoices: TranscriptSegment[] = [
    { start: 0, end: 1, channel: 0, text: 'Hello?' },
    { start: 1.25, end: 2, channel: 1, text: 'Здравствуйте!' },
  ]

  it('a transcript is JSON by default', async () => {
    const path = await insertTranscribedCall(oneVoice)
    for (const address of [path, `${path}?format=json`]) {
      const { status, headers, json } = await app.ida.get(address)
      expect(status).to.equal(200)
      expect(headers.get('content-type')).to.match(/^application\/json/)
      expect(json).to.deep.equal({
        text: 'Good morning.\nA & B <c> --> d',
        model: 'scripted',
        decoder: 'greedy',
        language: 'en',
        timing: null,
        segments: oneVoice.map((segment) => ({ ...segment, confidence: null, speaker: null, speakerConfidence: null })),
      })
    }
  })

  /** Inserts a recording for which the recognizer returned these words. */
  async function insertCallWithWords(words: unknown, timing: unknown = 'estimated'): Promise<string> {
    const audio = `sound ${Math.random()}`
    const { id } = (await app.ida.upload(audio)).json
    const segments = [{ start: 0.3, end: 2.5, channel: 0, text: 'Good morning.', confidence: 0.9 }]
    const transcript = { text: 'Good morning.', model: 'm', decoder: 'greedy', language: 'en', timing, segments }
    const held = await recognizer.waitForRecognition(audio)
    held.writeText(`${JSON.stringify({ type: 'result', transcript, durationSeconds: 3, words })}\n`)
    held.end()
    await waitUntil('it is DONE', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'DONE')
    return `/v1/recordings/${id}/transcript`
  }

  it('words=true adds the times and confidence of each word', async () => {
    const path = await insertCallWithWords([[[0.3, 0.8, 0.95], [1, 2.5, null]]]) // prettier-ignore
    const { json } = await app.ida.get(`${path}?words=true`)
    expect(json.timing).to.equal('estimated')
    expect(json.segments[0].confidence).to.equal(0.9)
    expect(json.segments[0].words).to.deep.equal([
      { start: 0.3, end: 0.8, text: 'Good', confidence: 0.95 },
      { start: 1, end: 2.5, text: 'morning.', confidence: null },
    ])
    for (const query of ['', '?words=false']) {
      expect((await app.ida.get(`${path}${query}`)).json.segments[0]).to.not.have.property('words')
    }
    expect((await app.ida.get(`${path}?words=perhaps`)).status).to.equal(400)
  })

  it('firstSegment and segments select a part of the transcript', async () => {
    const path = await insertTranscribedCall(twoVoices)
    const { json } = await app.ida.get(`${path}?firstSegment=1&segments=1`)
    expect([json.text, json.segments.length]).to.deep.equal(['Здравствуйте!', 1])
    expect((await app.ida.get(`${path}?firstSegment=7`)).json).to.include({ text: '' })
    expect((await app.ida.get(`${path}?segments=0`)).json.message[0]).to.match(/^segments must be/)
  })

  it('a transcript is stored without words if the recognizer returns invalid ones', async () => {
    for (const words of [
      undefined,
      null,
      'none',
      [],
      [[]],
      [[[0, 1, 2]]],
      [
        [
          ['a', 1, 1],
          [1, 2, 1],
        ],
      ],
    ]) {
      const { json } = await app.ida.get(`${await insertCallWithWords(words, 'guessed')}?words=true`)
      expect([json.text, json.timing]).to.deep.equal(['Good morning.', null])
      expect(json.segments[0].words, `${JSON.stringify(words)}: each segment has words, none here`).to.deep.equal([])
    }
  })

  it('a transcript as txt is the text with a final line break', async () => {
    const path = await insertTranscribedCall(twoVoices)
    const { text, headers } = await app.ida.get(`${path}?format=txt`)
    expect(headers.get('content-type')).to.equal('text/plain; charset=utf-8')
    expect(headers.get('content-disposition')).to.match(/^attachment; filename="[0-9a-f-]+\.txt"$/)
    expect(text).to.equal('Hello?\nЗдравствуйте!\n')
  })

  it('a transcript as srt has numbered cues with a comma before milliseconds', async () => {
    const { text, headers } = await app.ida.get(`${await insertTranscribedCall(oneVoice)}?format=srt`)
    expect(headers.get('content-type')).to.equal('application/x-subrip; charset=utf-8')
    expect(text).to.equal(
      '1\n00:00:00,320 --> 00:00:02,500\nGood morning.\n\n2\n01:02:05,000 --> 01:02:08,000\nA & B <c> --> d\n',
    )
  })

  it('a transcript as vtt has a header, full stops and escaped text', async () => {
    const { text, headers } = await app.ida.get(`${await insertTranscribedCall(oneVoice)}?format=vtt`)
    expect(headers.get('content-type')).to.equal('text/vtt; charset=utf-8')
    expect(text).to.equal(
      'WEBVTT\n\n00:00:00.320 --> 00:00:02.500\nGood morning.\n\n01:02:05.000 --> 01:02:08.000\nA &amp; B &lt;c&gt; --&gt; d\n',
    )
  })

  it('subtitles of a call with two channels name the speaker by default', async () => {
    const path = await insertTranscribedCall(twoVoices)
    expect((await app.ida.get(`${path}?format=vtt`)).text).to.equal(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v Agent>Hello?\n\n00:00:01.250 --> 00:00:02.000\n<v Client>Здравствуйте!\n',
    )
    expect((await app.ida.get(`${path}?format=srt`)).text).to.equal(
      '1\n00:00:00,000 --> 00:00:01,000\nAgent: Hello?\n\n2\n00:00:01,250 --> 00:00:02,000\nClient: Здравствуйте!\n',
    )
  })

  it('a cue never contains an empty line', async () => {
    const path = await insertTranscribedCall([{ start: 0, end: 1, channel: 0, text: ' one\n\ntwo \n' }])
    expect((await app.ida.get(`${path}?format=srt`)).text).to.equal('1\n00:00:00,000 --> 00:00:01,000\none two\n')
  })

  it('an empty transcript is a valid file of every format', async () => {
    const path = await insertTranscribedCall([])
    expect((await app.ida.get(`${path}?format=txt`)).text).to.equal('')
    expect((await app.ida.get(`${path}?format=srt`)).text).to.equal('')
    expect((await app.ida.get(`${path}?format=vtt`)).text).to.equal('WEBVTT\n')
    expect((await app.ida.get(path)).json.text).to.equal('')
  })

  it('the API rejects an unknown format and a request without credentials', async () => {
    const path = await insertTranscribedCall([])
    const { status, json } = await app.ida.get(`${path}?format=pdf`)
    expect(status).to.equal(400)
    expect(json.message[0]).to.match(/^format /)
    expect((await app.nobody.get(path)).status).to.equal(401)
  })
})

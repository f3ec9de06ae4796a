import { createHmac } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

/** Tests the main function with real speech, the real recognizer, a real upload and a real callback receiver. */
describe('transcription with a real recognizer', () => {
  const SECRET = 'a signing secret of our own'
  const received: { headers: http.IncomingHttpHeaders; body: Buffer }[] = []
  const receiver = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks) })
      response.end()
    })
  })
  let app: TestApp
  let call: Buffer
  let callbackUrl: string

  before(async () => {
    call = await readFile('samples/call.wav')
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    callbackUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    app = await startTestApp({ ALLOW_PRIVATE_NETWORK_DOWNLOADS: true, CALLBACK_SIGNING_SECRET: SECRET })
  })
  after(async () => {
    await app.stop()
    receiver.close()
  })

  const finished = async (id: string) => {
    const { json } = await app.ida.get(`/v1/recordings/${id}`)
    return ['DONE', 'FAILED'].includes(json.status) && json
  }

  it('a stereo call becomes a transcript of both channels and a signed callback', async () => {
    const { status, json } = await app.ida.upload(call, { callbackUrl })
    expect(status).to.equal(201)
    const recording = await waitUntil('the end', () => finished(json.id))
    expect(recording).to.include({ status: 'DONE', attempts: 1, errorCode: null })
    expect(recording.durationSeconds).to.be.closeTo(17.5, 0.1)
    expect(recording.transcript.text.toLowerCase()).to.include('delivery').and.include('morning')
    const channels = new Set(recording.transcript.segments.map(({ channel }: { channel: number }) => channel))
    expect([...channels]).to.have.members([0, 1])
    const starts: number[] = recording.transcript.segments.map(({ start }: { start: number }) => start)
    expect(starts).to.deep.equal(starts.toSorted((a, b) => a - b))
    const waveform = (await app.olga.get(`/v1/recordings/${json.id}/waveform`)).json
    expect(waveform.durationSeconds).to.equal(recording.durationSeconds)
    for (const { start, end, channel } of recording.transcript.segments) {
      const indexAt = (second: number) =>
        Math.floor((second / waveform.durationSeconds) * waveform.peaks[channel].length)
      const [own, other] = [channel, 1 - channel].map((one) => Math.max(...waveform.peaks[one].slice(indexAt(start), indexAt(end)))) // prettier-ignore
      expect(own).to.be.greaterThan(other!)
    }
    expect(recording.transcript.text).to.equal(
      recording.transcript.segments.map(({ text }: { text: string }) => text).join('\n'),
    )

    expect(recording.audio).to.deep.include({ channels: 2, silent: [false, false], identical: false, clipped: false })
    for (const seconds of recording.audio.speechSeconds) expect(seconds).to.be.within(2, 12)
    const { segments } = (await app.ida.get(`/v1/recordings/${json.id}/transcript?words=true`)).json
    for (const { start, end, text, confidence, words } of segments) {
      expect(words.map((word: { text: string }) => word.text).join(' ')).to.equal(text)
      expect([words[0].start, words.at(-1).end]).to.deep.equal([start, end])
      expect(confidence).to.be.within(0.5, 1)
      expect(text.length).to.be.at.most(84)
      expect(end - start).to.be.within(0.1, 7)
    }

    const { headers, body } = await waitUntil('the callback', () => received[0])
    expect(JSON.parse(body.toString())).to.deep.equal({ event: 'recording.done', recording })
    const signed = createHmac('sha256', SECRET)
      .update(`${String(headers['x-svc-timestamp'])}.`)
      .update(body)
    expect(headers['x-svc-signature']).to.equal(`sha256=${signed.digest('hex')}`)
    expect(headers['x-svc-event']).to.equal('recording.done')
  })

  it('a picture renamed to .wav fails with UNSUPPORTED_AUDIO at its first attempt', async () => {
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const { json } = await app.ida.upload(picture, {}, 'call.wav')
    const recording = await waitUntil('the end', () => finished(json.id))
    expect(recording).to.include({ status: 'FAILED', errorCode: 'UNSUPPORTED_AUDIO', attempts: 1, transcript: null })
    expect(recording.errorMessage).to.be.a('string').and.not.include('/')
  })

  it('a silent call ends DONE with an empty transcript', async () => {
    const silence = Buffer.concat([call.subarray(0, 44), Buffer.alloc(call.length - 44)])
    const { json } = await app.ida.upload(silence)
    const recording = await waitUntil('the end', () => finished(json.id))
    expect(recording.status).to.equal('DONE')
    expect(recording.transcript).to.include({ text: '' })
    expect(recording.transcript.segments).to.deep.equal([])
    expect(recording.audio).to.deep.equal({
      channels: 2, speechSeconds: [0, 0], silent: [true, true], identical: true, clipped: false,
      speakers: { method: 'none', confidence: null, agentConfidence: null },
    }) // prettier-ignore
  })

  it('the filter noSpeech selects the calls without speech, or all others', async () => {
    const listed = async (query: string) => (await app.ida.get(`/v1/recordings?status=DONE&${query}`)).json
    const silent = await listed('noSpeech=true')
    expect(silent.items.map(({ audio }: { audio: { silent: boolean[] } }) => audio.silent)).to.deep.equal([
      [true, true],
    ])
    const spoken = await listed('noSpeech=false')
    expect(spoken.total).to.equal((await listed('')).total - 1)
    expect(spoken.total).to.be.at.least(1)
    expect((await app.ida.get('/v1/recordings/facets?noSpeech=true')).json.total).to.equal(1)
    expect((await app.ida.get('/v1/transcripts?noSpeech=true')).json.total).to.equal(1)
    expect((await app.ida.get('/v1/recordings?noSpeech=maybe')).status).to.equal(400)
  })
})

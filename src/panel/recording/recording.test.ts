import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { createDoneCall, SAMPLE_TRANSCRIPT_SEGMENTS } from '../../test/done-call.ts'
import { replaceTranscript } from '../../test/transcripts.ts'
import { waitUntil } from '../../test/wait.ts'
import {
  HTMX_REFRESH_HEADERS,
  startTestPanel,
  startTestPanelServer,
  type PanelBrowser,
  type TestPanel,
} from '../../test/panel.ts'

describe('panel: call page', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ TRANSCRIPTION_CONCURRENCY: 1 })
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())
  afterEach(async () => {
    app.recognizer.answer = undefined
    await app.db.query('DELETE FROM recordings') // deleted first, so that no queued call starts when the others end
    for (const held of app.recognizer.pending.splice(0)) held.finish()
  })

  it('the page of a call shows its player, transcript, details and history', async () => {
    const call = { phoneNumber: '+375 29 1', managerName: 'Max', direction: 'OUTBOUND', externalCallId: 'pbx-1' }
    const id = await createDoneCall(app, call)
    const text = await waitUntil('nothing is waited for, the check neither', async () => {
      const page = await olga.open(`/recordings/${id}`)
      expect(page.status).to.equal(200)
      return !page.text.includes('hx-trigger="every 2s"') && page.text
    })
    expect(text).to.contain(`controls preload="none" src="/recordings/${id}/playback"`)
    expect(text).to.contain(`href="/recordings/${id}/playback#t=62.9"`).and.contain('>1:02</a>')
    expect(text).to.match(/c0">Agent<\/b>.*Good afternoon\..*c1">Client<\/b>.*Hello\./s)
    for (const shown of [
      '+375 29 1',
      'Max',
      'outgoing',
      'pbx-1',
      'call.wav',
      '10 bytes',
      'scripted',
      'transcribed in',
    ]) {
      expect(text).to.contain(shown)
    }
  })

  it('the page draws both channels and shows the shares of speech and silence', async () => {
    const id = await createDoneCall(app)
    await app.db.query('UPDATE recordings SET duration_seconds = 10 WHERE id = $1', [id])
    await replaceTranscript(app, id, [
      { start: 0, end: 4, channel: 0, text: 'One.' },
      { start: 3, end: 6, channel: 1, text: 'Two.' },
    ])
    const peaks = [Buffer.from([100, 0]), Buffer.from([0, 50])]
    await app.db.query('INSERT INTO waveforms VALUES ($1, 10, $2)', [id, peaks])
    const { text } = await olga.open(`/recordings/${id}`)
    const shares = /<p class="shares">(.*?)<\/p>/s
      .exec(text)![1]!
      .replace(/<[^>]*>|\s+/g, ' ')
      .replace(/ +/g, ' ')
    expect(shares.trim()).to.equal('Agent 40% Client 30% silence 40%')
    // The first channel is drawn upwards from the middle, 30 high at its loudest. The second one is drawn downwards.
    expect(text).to.contain('class="c0" d="M0 31h2v-30h-2zM3 31h2v-1h-2z"')
    expect(text).to.match(/class="c1" d="M0 33h2v1h-2zM3 33h2v1\dh-2z"/)
  })

  it('the transcript marks doubtful words if the model has a limit for them', async () => {
    const id = await createDoneCall(app)
    const words = JSON.stringify([[[0.4, 1, 0.99], [1, 2, 0.2]], [[62.9, 64, 0.95]]]) // prettier-ignore
    await app.db.query(`UPDATE transcripts SET timing = 'estimated', words = $1`, [words])
    expect((await olga.open(`/recordings/${id}`)).text).not.to.contain('<i title')
    await app.db.query(`UPDATE transcripts SET model = 'moonshine-base-en'`)
    const { text } = await olga.open(`/recordings/${id}`)
    expect(text).to.contain('Good <i title="The recognizer is unsure of this word">afternoon.</i></span>')
    expect(text).to.contain('>Hello.</span>')
    const part = await olga.open(`/recordings/${id}/lines/0-2`, HTMX_REFRESH_HEADERS)
    expect(part.text).to.contain('>afternoon.</i>')
  })

  it('with word timings, a match starts at its word for any model', async () => {
    const id = await createDoneCall(app)
    await replaceTranscript(app, id, [{ start: 3.5, end: 9, channel: 0, text: 'They come on Monday.' }])
    const moments = async (path: string, options?: typeof HTMX_REFRESH_HEADERS) => {
      const { text } = await olga.open(`/recordings/${id}${path}?q=monday`, options)
      return [/data-matches="(.*?)"/.exec(text)?.[1], /<mark data-match="1" data-at="(.*?)"/.exec(text)?.[1]]
    }
    expect(await moments(''), 'guessed').to.deep.equal(['0:5.6', '5.6'])
    const words = JSON.stringify([[[3.5, 4, null], [4, 4.5, null], [7.9, 8.29, null], [8.29, 9, null]]]) // prettier-ignore
    await app.db.query(`UPDATE transcripts SET timing = 'exact', words = $1`, [words])
    expect(await moments('')).to.deep.equal(['0:8.04', '8.04'])
    expect(await moments('/lines/0-1', HTMX_REFRESH_HEADERS)).to.deep.equal([undefined, '8.04'])
  })

  it('the details describe problems of the audio, and nothing without problems', async () => {
    const id = await createDoneCall(app)
    const told = async (audio: object) => {
      await app.db.query('UPDATE recordings SET audio = $1', [JSON.stringify(audio)])
      const { text } = await olga.open(`/recordings/${id}`)
      return /<dt>Audio<\/dt><dd dir="auto">(.*?)<\/dd>/.exec(text)?.[1]
    }
    const audio = { channels: 2, speechSeconds: [3, 2], silent: [false, false], identical: false, clipped: false }
    expect(await told(audio)).to.equal(undefined)
    expect(await told({ ...audio, speechSeconds: [3, 0], clipped: true })).to.equal(
      'Client: no voice heard; too loud, distorted',
    )
    expect(await told({ ...audio, speechSeconds: [3, 0], silent: [false, true] })).to.equal('Client: no audio')
    expect(await told({ ...audio, speechSeconds: [3, 3], identical: true })).to.equal('both channels are identical')
    expect(await told({ ...audio, speechSeconds: [0, 0] })).to.equal('no speech')
    const silence = { speechSeconds: [0, 0], silent: [true, true], identical: true }
    expect(await told({ ...audio, ...silence })).to.equal('no audio')
  })

  it('a call without waveform data gets a flat line', async () => {
    const { text } = await olga.open(`/recordings/${await createDoneCall(app)}`)
    expect(text).to.contain('id="wave-0"').and.not.contain('id="wave-1"')
  })

  it('durations are rounded down to whole seconds in the list, details and player', async () => {
    const id = await createDoneCall(app)
    await app.db.query('UPDATE recordings SET duration_seconds = 17.9 WHERE id = $1', [id])
    expect((await olga.open('/recordings')).text)
      .to.contain('>0:17<')
      .and.not.contain('>0:18<')
    const { text } = await olga.open(`/recordings/${id}`)
    expect(text).to.match(/data-length data-seconds="17.9">0:17</)
    expect(text).to.contain('<dd dir="auto">0:17</dd>').and.not.contain('>0:18<')
  })

  it('the page marks search matches in any word form, also across two rows', async () => {
    const id = await createDoneCall(app)
    await replaceTranscript(app, id, [
      { start: 0, end: 1, channel: 0, text: 'Доставку ждём <b>' },
      { start: 1, end: 2, channel: 1, text: 'Будет доставка завтра' },
    ])
    const marks = async (q: string) => {
      const { text } = await olga.open(`/recordings/${id}?q=${encodeURIComponent(q)}`)
      const found = [...text.matchAll(/<mark data-match="(\d+)"[^>]*>(.*?)<\/mark>/g)].map(
        ([, n, what]) => `${n} ${what}`,
      )
      return { found, told: /<p class="found".*?>(.*?)<\/p>/.exec(text)![1]!.replace(/<.*?>/g, ''), text }
    }
    const { found, told, text } = await marks('доставки')
    expect({ found, told }).to.deep.equal({ found: ['1 Доставку', '2 доставка'], told: '2 matches' })
    expect(text).to.contain('ждём &lt;b&gt;</span>').and.contain('name="q" value="доставки"')
    expect((await marks('"ждем будет"')).found).to.deep.equal([])
    await replaceTranscript(app, id, [
      { start: 0, end: 1, channel: 0, text: 'Доставку ждём' },
      { start: 1, end: 2, channel: 1, text: 'завтра утром' },
    ])
    expect((await marks('"ждем завтра"')).found).to.deep.equal(['1 ждём', '1 завтра'])
    expect((await marks('жираф')).told).to.equal('no matches')
    expect((await marks('"><script>')).text).to.contain('value="&quot;&gt;&lt;script&gt;"')
    expect((await marks('x'.repeat(10_000).slice(0, 6000))).told).to.equal('no matches')
  })

  it('the history shows attempts and callbacks, and refreshes while a callback is pending', async () => {
    const id = await createDoneCall(app)
    await app.db.query('DELETE FROM transcription_history')
    await app.db.query(
      `INSERT INTO transcription_history (recording_id, at, kind, attempt, started_at, message)
       SELECT id, finished_at - interval '1 min', 'failed_attempt', 1, finished_at - interval '2 min', 'It <stumbled>' FROM recordings
       UNION ALL SELECT id, finished_at, 'done', 2, finished_at - interval '9 s', NULL FROM recordings`,
    )
    await app.db.query(
      `WITH delivery AS (
         INSERT INTO deliveries (id, recording_id, event, url, host, next_attempt_at)
         VALUES (gen_random_uuid(), $1, 'recording.done', 'http://x/', 'x', now() + interval '1 hour') RETURNING id)
       INSERT INTO delivery_attempts SELECT id, 1, now(), 5, 500 FROM delivery`,
      [id],
    )
    const told = (text: string) =>
      [...text.matchAll(/<li[^>]*><time[^>]*>.*?<\/time> (.*?)<\/li>/g)].map(([, event]) => event)
    const { text } = await olga.open(`/recordings/${id}`)
    expect(told(text).slice(0, 3)).to.deep.equal([
      'attempt 1 failed: It &lt;stumbled&gt;',
      'received',
      'transcribed in 9 s (attempt 2)',
    ])
    expect(told(text)[3]).to.match(/^callback rejected: server error \(500\); next attempt at \d\d:\d\d$/)
    const refresh = `/recordings/${id}/history`
    expect(text).to.contain(`hx-get="${refresh}"`)
    await app.db.query(`UPDATE deliveries SET status = 'FAILED'`)
    const part = await olga.open(refresh, { 'HX-Request': 'true' })
    expect(part.text.trimStart()).to.match(/^<section class="box" id="history">/)
    expect(told(part.text)[3]).to.equal('callback rejected: server error (500); no more attempts')
    expect((await olga.open(refresh)).headers.get('location')).to.equal(`/recordings/${id}`)
  })

  it('the page shows the queue position of a waiting call or the progress of transcription', async () => {
    await createDoneCall(app)
    const running = await app.submitCall('PROCESSING')
    const waits = await app.submitCall('QUEUED')
    app.recognizer.pending.at(-1)!.progress(3, 4)
    const page = async (id: string) => (await olga.open(`/recordings/${id}`)).text
    expect(await page(waits)).to.match(/<p>next in the queue<\/p>/)
    await waitUntil('progress', async () => (await page(running)).includes('value="75"'))
    expect(await page(running)).to.match(/<span class="badge processing">75%<\/span>/)
  })

  it('the page shows the partial transcript with speakers while the call is transcribed', async () => {
    const id = await app.submitCall('PROCESSING')
    const page = async () => (await olga.open(`/recordings/${id}`)).text
    expect(await page()).not.to.contain('Transcript so far')
    const line = { type: 'progress', processedSeconds: 3, totalSeconds: 90, segments: SAMPLE_TRANSCRIPT_SEGMENTS }
    app.recognizer.pending.at(-1)!.writeText(`${JSON.stringify(line)}\n`)
    await waitUntil('the text begins', async () => (await page()).includes('Transcript so far'))
    expect(await page()).to.match(/Agent<\/b>.*Good afternoon\..*>1:02<.*Client<\/b>.*Hello\./s)
    app.recognizer.pending.at(-1)!.finish('The end.')
    await waitUntil('the whole text', async () => (await page()).includes('The end.'))
    expect(await page()).not.to.contain('Transcript so far')
  })

  it('a call without speech shows that no speech was found', async () => {
    app.recognizer.answer = (recognition) => recognition.finish('')
    const id = await app.submitCall('DONE')
    expect((await olga.open(`/recordings/${id}`)).text).to.contain('No speech was found')
  })

  it('the page of a call polls until the transcription is done', async () => {
    const id = await app.submitCall('PROCESSING')
    expect((await olga.open(`/recordings/${id}`)).text).to.contain(`hx-get="/recordings/${id}" hx-trigger="every 2s"`)
    app.recognizer.pending.at(-1)!.finish('The end.')
    const part = async () => (await olga.open(`/recordings/${id}`, { 'HX-Request': 'true' })).text
    // The page also polls for the check until it exists.
    const text = await waitUntil('nothing is waited for', async () => {
      const shown = await part()
      return !shown.includes('hx-get') && shown
    })
    expect(text.trimStart()).to.match(/^<article id="recording">/)
    expect(text).to.contain('The end.')
  })

  it('a failed call shows its reason once, no player, and a link to upload again', async () => {
    app.recognizer.answer = (recognition) => recognition.fail('UNSUPPORTED_AUDIO', 'no sound')
    const id = await app.submitCall('FAILED', { managerName: 'Max' })
    app.recognizer.answer = undefined
    const { text } = await olga.open(`/recordings/${id}`)
    expect(text).not.to.contain('<audio')
    expect(text.split('The file is damaged or has no audio.')).to.have.length(2)
    expect(text).not.to.contain('UNSUPPORTED_AUDIO')
    expect(text).to.contain(`href="/upload?as=${id}"`).and.contain('Upload another file')
  })

  it('a call that failed twice shows the reason of each failure', async () => {
    const [id] = await insertCalls(app, [{ status: 'FAILED' }])
    await app.db.query(
      `INSERT INTO transcription_history (recording_id, at, kind, attempt, started_at, message)
       SELECT id, now() - n * interval '1 min', 'failed', 1, now() - n * interval '2 min', 'fault ' || n
         FROM recordings, (VALUES (1), (2)) AS times (n) WHERE id = $1`,
      [id],
    )
    const { text } = await olga.open(`/recordings/${id}`)
    const told = [...text.matchAll(/class="failed-text"><time[^>]*>.*?<\/time> (.*?)<\/li>/g)].map(([, event]) => event)
    expect(told).to.deep.equal(['failed: fault 2', 'failed: fault 1'])
  })

  it('a call whose file is missing offers neither player nor download', async () => {
    const [id] = await insertCalls(app, [{ status: 'FAILED' }])
    expect((await olga.open(`/recordings/${id}`)).text)
      .to.contain('<audio')
      .and.contain(`/recordings/${id}/audio`)
    await app.db.query(`UPDATE recordings SET error_code = 'AUDIO_MISSING'`)
    expect((await olga.open(`/recordings/${id}`)).text)
      .to.contain('The recording is no longer stored.')
      .and.not.contain('<audio')
      .and.not.contain(`/recordings/${id}/audio`)
  })

  it('the page links to the calls of its client and manager, and to the list', async () => {
    const call = { phoneNumber: '+375 29 765-43-21', managerName: 'Max' }
    const [id] = [await createDoneCall(app, call), await createDoneCall(app, call)]
    const phone = `/recordings?phone=${encodeURIComponent(call.phoneNumber).replaceAll('%20', '+')}`
    const { text } = await olga.open(`/recordings/${id}`)
    expect(text).to.contain(`<a href="${phone}"><bdi>+375 29 765-43-21</bdi></a>`)
    expect(text).to.contain('<a href="/recordings?manager=Max"><bdi>Max</bdi></a>')
    expect(text).to.contain(`<a href="${phone}">all calls of this client (2)</a>`)
    const trail = async (path: string, referrer: string) =>
      /class="trail"><span><a href="([^"]*)"/.exec((await olga.open(path, { Referer: referrer })).text)![1]
    const list = `${app.panelUrl}/recordings?q=hello&status=DONE&nonsense=1`
    expect(await trail(`/recordings/${id}`, list)).to.equal('/recordings?q=hello&amp;status=DONE')
    expect(await trail(`/recordings/${id}`, 'https://elsewhere.example/recordings?q=x')).to.equal('/recordings')
    const kept = `/recordings/${id}?q=hello&list=${encodeURIComponent('q=hello&status=DONE')}`
    expect(await trail(kept, `${app.panelUrl}/recordings/${id}`)).to.equal('/recordings?q=hello&amp;status=DONE')
  })

  it('an invalid or unknown call id gets a page with status 404', async () => {
    for (const id of ['0197f2a0-0000-7000-8000-000000000000', 'x', '..%2f..%2fapi-keys', '%00', 'a%3Fb']) {
      const { status, text } = await olga.open(`/recordings/${id}`)
      expect(status, id).to.equal(404)
      expect(text, id).to.contain('Not found').and.contain('href="/recordings"')
    }
  })

  it('an unknown call gets a page with status 404 if the API rejects its assignments first', async () => {
    let isRejected = false
    const api = http.createServer((incoming, response) => {
      const isLate = incoming.url!.startsWith('/v1/recordings/x')
      const turn = isLate ? waitUntil('the assignments are rejected', () => isRejected) : Promise.resolve()
      void turn.then(() =>
        http.get(app.url + incoming.url, { headers: incoming.headers }, (passed) => {
          response.writeHead(passed.statusCode!, passed.headers)
          passed.pipe(response)
          if (incoming.url!.startsWith('/v1/assignments?')) response.once('close', () => (isRejected = true))
        }),
      )
    })
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
    const panel = await startTestPanelServer(app.config, `http://127.0.0.1:${(api.address() as AddressInfo).port}`)
    try {
      const { status } = await fetch(`${panel.url}/recordings/x`, { headers: olga.headers })
      expect(status).to.equal(404)
    } finally {
      await panel.stop()
      api.closeAllConnections()
      await new Promise((resolve) => api.close(resolve))
    }
  })
})

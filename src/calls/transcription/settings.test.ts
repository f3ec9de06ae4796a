import { expect } from 'chai'
import { createLoggedInManager } from '../../test/calls.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('transcription settings', () => {
  const path = '/v1/transcription/settings'
  const recognizer = new ScriptedRecognizer()
  let app: TestApp
  before(async () => {
    await recognizer.start()
    app = await startTestApp({ asrUrl: recognizer.url })
  })
  after(async () => {
    await app.stop()
    await recognizer.stop()
  })

  async function transcribe(audio: string) {
    const { id } = (await app.ida.upload(audio)).json
    return waitUntil('the end', async () => {
      const { json } = await app.ida.get(`/v1/recordings/${id}`)
      return json.status === 'DONE' && json
    })
  }

  it('only an owner can change the transcription settings, and the audit log records it', async () => {
    expect((await app.olga.get(path)).json).to.deep.equal({ separateSpeakers: true })
    const max = await createLoggedInManager(app, 'Max', { manageRecordings: true })
    for (const client of [max, app.ida]) {
      expect((await client.get(path)).status).to.equal(403)
      expect((await client.put(path, { separateSpeakers: true })).status).to.equal(403)
    }
    expect((await app.olga.put(path, {})).status).to.equal(400)
    expect((await app.olga.put(path, { separateSpeakers: false })).json).to.deep.equal({ separateSpeakers: false })
    const { rows } = await app.db.query(`SELECT details FROM audit WHERE action = 'settings.change'`)
    expect(rows[0].details).to.deep.equal({ before: { separateSpeakers: true }, after: { separateSpeakers: false } })
  })

  it('the setting separateSpeakers decides whether the recognizer separates speakers', async () => {
    recognizer.answer = (recognition) =>
      recognition.finish(
        [
          { start: 0, end: 1, channel: 0, text: 'Good morning.', speaker: 0, speakerConfidence: 0.9 },
          { start: 1, end: 2, channel: 0, text: 'Hello.', speaker: 1, speakerConfidence: 0.7 },
        ],
        { speakers: { method: 'voices', confidence: 0.85 } },
      )
    await app.olga.put(path, { separateSpeakers: true })
    const { audio, transcript } = await transcribe('two voices')
    expect(recognizer.pending.at(-1)!.separateSpeakers).to.equal(true)
    expect(audio.speakers).to.include({ method: 'voices', confidence: 0.85 })
    expect(transcript.segments[1]).to.include({ channel: 0, speaker: 1, speakerConfidence: 0.7 })
    await app.olga.put(path, { separateSpeakers: false })
    await transcribe('one voice')
    expect(recognizer.pending.at(-1)!.separateSpeakers).to.equal(false)
  })
})

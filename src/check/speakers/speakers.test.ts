import { expect } from 'chai'
import type { AnalysisJson } from '../checks/check-schema.ts'
import { insertCalls, createLoggedInManager } from '../../test/calls.ts'
import { createPublishedRuleSet } from '../../test/rule-sets.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

const AUDIO = { channels: 1, speechSeconds: [8], silent: [false], identical: false, clipped: false }

/** A line of a call: its voice, its text and the confidence. Each line takes two seconds. */
type Line = [speaker: 0 | 1, text: string, speakerConfidence?: number]

const makeWords = (text: string, start: number) =>
  text.split(' ').map((_, n, all) => [start + (2 * n) / all.length, start + (2 * (n + 1)) / all.length, 0.9])

function makeSeparation(...lines: Line[]) {
  const segments = lines.map(([speaker, text, speakerConfidence = 0.95], n) => {
    return { start: 2 * n, end: 2 * n + 2, channel: 0, text, confidence: 0.9, speaker, speakerConfidence }
  })
  const words = lines.map(([, text], n) => makeWords(text, 2 * n))
  return { segments, words, speakers: { method: 'voices', confidence: 0.9 }, audio: AUDIO }
}

const SEPARATED: Line[] = [
  [1, 'Добрый день меня зовут Анна компания Окна'],
  [0, 'Здравствуйте сколько стоит'],
  [1, 'Чем могу помочь'],
  [0, 'До свидания'],
]

describe('speakers of a mono call', () => {
  const recognizer = new ScriptedRecognizer()
  let app: TestApp
  before(async () => {
    await recognizer.start()
    app = await startTestApp({ asrUrl: recognizer.url, ANALYSIS_SEED_RULES: false })
    await createPublishedRuleSet(app.olga, 'manners')
  })
  after(async () => {
    await app.stop()
    await recognizer.stop()
  })

  const read = async (id: string) => (await app.ida.get(`/v1/recordings/${id}`)).json
  const analysis = async (id: string): Promise<AnalysisJson> =>
    (await app.olga.get(`/v1/recordings/${id}/analysis`)).json
  const address = (id: string) => `/v1/recordings/${id}/speakers`
  const verdicts = (found: AnalysisJson) => found.findings.map(({ rule, verdict }) => `${rule.key} ${verdict}`)
  const changesOf = async (action: string) =>
    (await app.db.query('SELECT object_id AS id FROM audit WHERE action = $1', [action])).rows.map(({ id }) => id)

  /** Transcribes a call with the times of its words, but without separated speakers. */
  async function transcribeCall(...lines: Line[]): Promise<string> {
    const { segments, words } = makeSeparation(...lines)
    const text = segments.map((segment) => segment.text).join(' ')
    const whole = { start: 0, end: segments.at(-1)!.end, channel: 0, text, confidence: 0.9 }
    recognizer.answer = (recognition) =>
      recognition.finish([whole], {
        words: [words.flat()],
        audio: AUDIO,
        speakers: { method: 'none', confidence: null },
      })
    const { id } = (await app.ida.upload(`call ${Math.random()}`)).json
    await waitUntil('it is transcribed', async () => (await read(id)).status === 'DONE')
    return id
  }

  async function separate(id: string, ...lines: Line[]): Promise<void> {
    recognizer.answer = (recognition) => {
      recognition.writeText(`${JSON.stringify({ type: 'result', ...makeSeparation(...lines) })}\n`)
      recognition.end()
    }
    const { status, json } = await app.olga.post(`${address(id)}/separate`)
    expect([status, json]).to.deep.equal([202, { status: 'queued', reason: null }])
    await waitUntil('it is separated', async () => {
      return (await app.olga.get(`${address(id)}/separate`)).json.status === 'done'
    })
  }

  async function check(id: string): Promise<AnalysisJson> {
    await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    return waitUntil('it is checked', async () => {
      const found = await analysis(id)
      return found.status === 'done' && found
    })
  }

  it('an owner can separate the speakers of a stored call without changing its text', async () => {
    const id = await transcribeCall(...SEPARATED)
    const numberOf = async () =>
      (await app.db.query('SELECT ready_number FROM transcripts WHERE recording_id = $1', [id])).rows[0].ready_number
    const before = { call: await read(id), number: await numberOf() }
    expect(before.call.audio.speakers).to.deep.equal({ method: 'none', confidence: null, agentConfidence: null })
    await separate(id, ...SEPARATED)
    const sent = recognizer.pending.at(-1)!
    expect(sent.path).to.equal('/separate')
    const [line, audio] = sent.audio.toString().split('\n')
    expect(JSON.parse(line!).segments[0]).to.include({ text: before.call.transcript.text })
    expect(audio).to.match(/^call /)
    const { transcript, audio: facts } = await read(id)
    expect(facts.speakers).to.include({ method: 'voices', confidence: 0.9 })
    expect(transcript.segments.map(({ speaker }: { speaker: number }) => speaker)).to.deep.equal([1, 0, 1, 0])
    expect(transcript.text.replaceAll('\n', ' ')).to.equal(before.call.transcript.text)
    expect(await numberOf()).to.equal(before.number)
    expect(await changesOf('recording.separate')).to.include(id)
    expect((await app.ida.get(`/v1/recordings?q=${encodeURIComponent('"компания окна"')}`)).json.items[0].id).to.equal(
      id,
    )
  })

  it('the service finds the agent by words, and the check judges the agent’s side', async () => {
    const id = await transcribeCall(...SEPARATED)
    await separate(id, ...SEPARATED)
    expect((await app.olga.get(address(id))).json).to.deep.equal({ agentChannel: 1, setFor: 'words' })
    expect((await read(id)).audio.speakers.agentConfidence).to.be.at.least(0.8)
    const found = await check(id)
    expect(verdicts(found)).to.deep.equal(['greeting met', 'farewell missed', 'insults met'])
    expect(found.findings[0]!.evidence[0]).to.include({ segment: 0, side: 'agent' })
    const srt = (await app.ida.get(`/v1/recordings/${id}/transcript?format=srt`)).text
    expect(srt).to.include('Agent: Добрый день').and.include('Client: До свидания')
  })

  it('rules about one side are unknown while the agent is uncertain', async () => {
    const lines: Line[] = [
      [0, 'Добрый день'],
      [1, 'Да'],
    ]
    const id = await transcribeCall(...lines)
    await separate(id, ...lines)
    expect((await read(id)).audio.speakers.agentConfidence).to.be.below(0.8)
    expect(verdicts(await check(id))).to.deep.equal(['greeting unknown', 'farewell unknown', 'insults unknown'])
    expect((await app.ida.get(`/v1/recordings/${id}/transcript?format=srt`)).text).to.include('Speaker 1: Добрый день')
    await app.olga.put(address(id), { agentChannel: 0 })
    await waitUntil('it is checked again', async () => (await analysis(id)).findings[0]?.verdict === 'met')
    expect((await read(id)).audio.speakers.agentConfidence).to.equal(1)
  })

  it('a rule is unknown if its verdict depends on an uncertain segment', async () => {
    const lines: Line[] = [...SEPARATED.slice(0, 3), [1, 'До свидания', 0.6]]
    const id = await transcribeCall(...lines)
    await separate(id, ...lines)
    expect(verdicts(await check(id))).to.deep.equal(['greeting met', 'farewell unknown', 'insults met'])
  })

  it('a critical rule needs more certain voices than other rules', async () => {
    const lines = (confidence: number): Line[] => [...SEPARATED, [1, 'Заткнитесь', confidence]]
    const id = await transcribeCall(...lines(0.95))
    await separate(id, ...lines(0.95))
    expect((await read(id)).audio.speakers.agentConfidence).to.be.at.least(0.95)
    expect(verdicts(await check(id))).to.include('insults missed')
    await separate(id, ...lines(0.94))
    expect(verdicts(await check(id)))
      .to.include('insults unknown')
      .and.include('greeting met')
  })

  it('a critical rule is unknown if it depends on a doubtful agent', async () => {
    const lines: Line[] = [...SEPARATED.slice(0, 2), [1, 'Заткнитесь']]
    const id = await transcribeCall(...lines)
    await separate(id, ...lines)
    await app.db.query(`UPDATE recordings SET speakers = speakers || '{"agentConfidence": 0.94}' WHERE id = $1`, [id])
    expect(verdicts(await check(id)))
      .to.include('insults unknown')
      .and.include('greeting met')
  })

  it('a correction of the speakers starts another check, and reviews stay', async () => {
    const id = await transcribeCall(...SEPARATED)
    const found = await check(id)
    const finding = found.findings.find(({ rule }) => rule.key === 'insults')!
    const review = { verdict: 'met', comment: 'Heard' }
    await app.olga.patch(`/v1/recordings/${id}/analysis/findings/${finding.id}`, review)
    await separate(id, ...SEPARATED)
    await waitUntil('the quote has moved', async () => (await analysis(id)).findings[1]?.verdict === 'missed')
    const { status } = await app.olga.put(address(id), { phrases: [{ start: 6, end: 8, speaker: 1 }] })
    expect(status).to.equal(200)
    const corrected = await waitUntil('it is checked again', async () => {
      const now = await analysis(id)
      return now.findings[1]?.verdict === 'met' && now
    })
    expect(corrected.findings[1]!.evidence[0]).to.include({ segment: 3, quote: 'До свидания', side: 'agent' })
    expect(corrected.findings[2]).to.deep.include({ verdict: 'met', decidedBy: 'person' })
    expect((await read(id)).transcript.segments[3]).to.include({ speaker: 1, speakerConfidence: 1 })
    await app.olga.put(address(id), { phrases: [{ start: 6, end: 6.9, speaker: 0 }] })
    const texts = (await read(id)).transcript.segments.map(({ text }: { text: string }) => text)
    expect(texts.slice(3)).to.deep.equal(['До', 'свидания'])
    expect((await app.olga.get(address(id))).json.setFor, 'the agent stays').to.equal('words')
  })

  it('invalid or unauthorized changes of the speakers are rejected', async () => {
    const id = await transcribeCall(...SEPARATED)
    const phrase = { start: 0, end: 1, speaker: 0 }
    expect((await app.olga.put(address(id), { phrases: [phrase] })).status, 'not separated').to.equal(409)
    for (const phrases of [[{ ...phrase, end: 0 }], [phrase, phrase], [{ ...phrase, speaker: 2 }]])
      expect((await app.olga.put(address(id), { phrases })).status).to.equal(400)
    const [stereo, queued] = await insertCalls(app, [{}, { status: 'FAILED' }])
    await app.db.query(`UPDATE recordings SET speakers = '{"method": "channels"}' WHERE id = $1`, [stereo])
    for (const other of [stereo, queued])
      expect((await app.olga.post(`${address(other!)}/separate`)).status).to.equal(409)
    expect((await app.ida.post(`${address(id)}/separate`)).status, 'a key').to.equal(403)
    const max = await createLoggedInManager(app, 'Max', { manageRecordings: true })
    expect((await max.post(`${address(id)}/separate`)).status, 'of another manager').to.equal(404)
  })

  it('the speakers cannot be separated if the transcript has no times of words', async () => {
    const [id] = await insertCalls(app, [{ text: 'Добрый день' }])
    await app.olga.post(`${address(id!)}/separate`)
    await waitUntil('it has ended', async () => {
      const { rows } = await app.db.query(`SELECT speakers ->> 'method' AS method FROM recordings WHERE id = $1`, [id])
      return rows[0].method === 'none'
    })
  })
})

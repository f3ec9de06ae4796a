import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'
import { createPublishedRuleSet } from '../../test/rule-sets.ts'
import { waitUntil } from '../../test/wait.ts'

const AUDIO = { channels: 1, speechSeconds: [8], silent: [false], identical: false, clipped: false }
type Line = [speaker: 0 | 1 | null, text: string, speakerConfidence?: number]

/** Builds a result of the recognizer. Each line lasts two seconds, on one channel. */
function makeResult(method: 'voices' | 'none', lines: Line[]) {
  const segments = lines.map(([speaker, text, speakerConfidence = 0.95], n) => {
    const start = 2 * n
    const voice = { speaker, speakerConfidence: speaker === null ? null : speakerConfidence }
    return { start, end: start + 2, channel: 0, text, confidence: 0.9, ...voice }
  })
  const words = segments.map(({ start, text }) =>
    text.split(' ').map((_, n, all) => [start + (2 * n) / all.length, start + (2 * (n + 1)) / all.length, 0.9]),
  )
  return {
    segments,
    words,
    timing: 'exact',
    audio: AUDIO,
    speakers: { method, confidence: method === 'none' ? null : 0.9 },
  }
}

const TALK: Line[] = [
  [0, 'Hello this is Anna from Northern Windows'],
  [1, 'Hello how much is a window'],
  [1, 'How can I help you', 0.5],
  [0, 'What size is your window'],
]
/** Without an introduction, the agent of two voices is unknown. */
const UNCLEAR: Line[] = [
  [0, 'Blue'],
  [1, 'Green'],
]
const WITHOUT_VOICES = TALK.map(([, text]): Line => [null, text])

describeInBrowser('panel: speakers of a mono call', (chrome) => {
  let app: TestPanel
  let cookie: string

  before(async () => {
    app = await startTestPanel({ ANALYSIS_SEED_RULES: false })
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
    await createPublishedRuleSet(app.olga, 'manners')
  })
  after(() => app.stop())

  async function submit(method: 'voices' | 'none', lines: Line[]): Promise<string> {
    app.recognizer.answer = (recognition) => {
      const { segments, ...more } = makeResult(method, lines)
      recognition.finish(segments, more)
    }
    return app.submitCall('DONE')
  }
  const open = (id: string, options = {}) => chrome.open(`${app.panelUrl}/recordings/${id}`, { cookie, ...options })
  const readSpeakers = async (id: string) =>
    (await app.ida.get(`/v1/recordings/${id}`)).json.transcript.segments.map(
      ({ speaker }: { speaker: number }) => speaker,
    )

  it('the transcript shows the turns of both voices and marks an uncertain phrase', async () => {
    const page = await open(await submit('voices', TALK))
    expect(await page.locator('.lines .channel').allInnerTexts()).to.deep.equal(['Agent', 'Client', 'Agent'])
    expect(await page.locator('.lines .unsure').allInnerTexts()).to.deep.equal(['How can I help you'])
    expect(await page.locator('.shares').innerText()).to.match(/Agent \d+%\sClient \d+%/)
  })

  it('speakers are numbered until the agent is known or a person sets it', async () => {
    const page = await open(await submit('voices', UNCLEAR))
    expect(await page.locator('.lines .channel').allInnerTexts()).to.deep.equal(['Speaker 1', 'Speaker 2'])
    expect(await page.locator('select[name=side]').count()).to.equal(0)
    await page.getByRole('button', { name: 'Speaker 2 is the agent' }).click()
    await page.locator('.lines .channel', { hasText: 'Agent' }).waitFor()
    expect(await page.locator('.lines .channel').allInnerTexts()).to.deep.equal(['Client', 'Agent'])
    await page.getByRole('button', { name: 'Swap Agent and Client' }).click()
    await page.locator('.lines li:first-child .channel', { hasText: 'Agent' }).waitFor()
  })

  it('a transcript without separated voices names no speakers', async () => {
    const page = await open(await submit('none', WITHOUT_VOICES))
    expect(await page.locator('.lines .channel').count()).to.equal(0)
    expect(await page.locator('.lines li').count()).to.equal(TALK.length)
  })

  it('a person can assign a phrase to the other speaker with two clicks', async () => {
    const id = await submit('voices', TALK)
    const page = await open(id)
    await page.locator('.lines li').nth(1).getByRole('link', { name: 'Client' }).click()
    await page.getByRole('button', { name: 'Assign to Agent' }).last().click()
    await page.locator('.lines .unsure').waitFor({ state: 'detached' })
    expect(await page.locator('.lines .channel').allInnerTexts()).to.deep.equal(['Agent', 'Client', 'Agent'])
    expect(await readSpeakers(id)).to.deep.equal([0, 1, 0, 0])
  })

  it('the page is accessible while a turn is open for correction', async () => {
    const id = await submit('voices', TALK)
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(`${id}?phrase=1`, { colorScheme })
      await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
      const rules = await page.evaluate<string[]>(`axe.run().then(({ violations }) => violations.map(({ id }) => id))`)
      expect(rules, colorScheme).to.deep.equal([])
    }
  })

  it('a person can confirm the speaker of an uncertain phrase with the keyboard', async () => {
    const id = await submit('voices', TALK)
    const page = await open(id)
    await page.locator('.lines li').nth(1).getByRole('link', { name: 'Client' }).press('Enter')
    await page.getByRole('button', { name: 'Assign to Client' }).press('Enter')
    await page.locator('.lines .unsure').waitFor({ state: 'detached' })
    expect(await readSpeakers(id)).to.deep.equal([0, 1, 1, 0])
  })

  it('a person can correct the speaker of a phrase on a phone without scripts', async () => {
    const id = await submit('voices', TALK)
    const page = await open(id, { javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    await page.locator('.lines li').nth(1).getByRole('link', { name: 'Client' }).click()
    await page.getByRole('button', { name: 'Assign to Agent' }).first().click()
    await page.waitForURL(/row=1#row-1$/)
    expect(await readSpeakers(id)).to.deep.equal([0, 0, 1, 0])
  })

  it('a person can separate the speakers of a call and sees the progress', async () => {
    const id = await submit('none', WITHOUT_VOICES)
    const page = await open(id)
    app.recognizer.answer = undefined
    await page.getByRole('button', { name: 'Separate speakers' }).click()
    await page.getByText(/Separation of speakers queued|Separating speakers/).waitFor()
    const pending = await waitUntil('the separation runs', async () => app.recognizer.pending.at(-1))
    pending.writeText(`${JSON.stringify({ type: 'result', ...makeResult('voices', TALK) })}\n`)
    pending.end()
    await page.locator('.lines .channel', { hasText: 'Client' }).waitFor()
    expect(await page.getByRole('button', { name: 'Separate speakers' }).count()).to.equal(0)
  })

  it('the page reports that a call has no two distinct voices', async () => {
    const id = await submit('none', WITHOUT_VOICES)
    const page = await open(id)
    app.recognizer.answer = (recognition) => {
      recognition.writeText(`${JSON.stringify({ type: 'result', ...makeResult('none', WITHOUT_VOICES) })}\n`)
      recognition.end()
    }
    await page.getByRole('button', { name: 'Separate speakers' }).click()
    await page.locator('.transcript').getByText('This recording does not have two distinct voices.').waitFor()
    expect(await page.getByRole('button', { name: 'Separate speakers' }).count(), 'another separation').to.equal(0)
  })
})

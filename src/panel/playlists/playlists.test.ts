import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { PanelBrowser, startTestPanel, type TestPanel } from '../../test/panel.ts'
import { waitUntil } from '../../test/wait.ts'
import { insertPlaylistItem, insertShared } from '../../test/work-objects.ts'

describe('panel: playlists', () => {
  let app: TestPanel
  let cast: TestPeople
  let calls: string[]
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    cast = await createTestPeople(app)
    calls = await insertCalls(app, [
      { manager: 'Max', duration: 17, phone: '+375291111111' },
      { manager: 'Anna', duration: 17, phone: '+375292222222' },
      { manager: 'Otto', duration: 17, phone: '+375293333333' },
    ])
    await mkdir(join(app.config.audioDir, 'inserted'), { recursive: true })
    for (const id of calls) await copyFile('samples/call.wav', join(app.config.audioDir, 'inserted', id))
  })
  after(() => app.stop())
  beforeEach(() => app.db.query('TRUNCATE playlists CASCADE'))

  const openAs = (client: { headers: Record<string, string> }): PanelBrowser =>
    app.browser({ Cookie: client.headers.Cookie! })
  const listItems = async (id: string) => (await cast.hanna.get(`/v1/playlists/${id}`)).json.items
  const add = (call: string, fields: Record<string, string>) =>
    openAs(cast.hanna).submit(`/recordings/${call}/playlists`, fields)

  it('the form of a call adds it to a new playlist, from a moment, with a note', async () => {
    const { status } = await add(calls[0]!, { name: 'Best objections', note: 'Too expensive', at: '0:09' })
    expect(status).to.equal(303)
    const { text } = await openAs(cast.hanna).open(`/recordings/${calls[0]}`)
    const [, id] = /href="\/playlists\/([^"]+)"><bdi>Best objections/.exec(text)!
    expect((await listItems(id!))[0]).to.include({ at: 9, note: 'Too expensive' })
    expect(text.split('Already in')[1], 'in the menu').to.include('Best objections')
    expect(text, 'it contains the call already').not.to.include(`<option value="${id}"`)
    expect((await openAs(cast.hanna).open(`/recordings/${calls[1]}`)).text).to.include(`<option value="${id}"`)
  })

  it('a rejected call leaves no new playlist, and the form keeps its values', async () => {
    for (const at of ['0:59', 'late']) {
      const { status, text } = await add(calls[0]!, { name: 'Best', at })
      expect([status, text.includes(`value="${at}"`), text.includes('id="playlist-at-error"')]).to.deep.equal([400, true, true]) // prettier-ignore
    }
    expect((await cast.hanna.get('/v1/playlists')).json.items).to.deep.equal([])
  })

  it('shows only calls that the person sees, and offers changes only to those who can make them', async () => {
    const id = await insertShared(app, 'playlists', cast.hanna.id, cast.sales)
    for (const call of calls) await insertPlaylistItem(app, id, call, cast.hanna.id)
    const { text } = await openAs(cast.hanna).open(`/playlists/${id}`)
    expect(text).to.include('2 calls').and.include('data-move="up"').and.not.include('333-33-33')
    const seen = (await openAs(cast.max).open(`/playlists/${id}`)).text
    expect(seen).to.include('1 call ').and.not.include('data-move').and.not.include('222-22-22')
    expect((await openAs(cast.max).open(`/playlists/${id}/edit`)).status).to.equal(404)
    expect((await openAs(cast.otto).open(`/playlists/${id}`)).status).to.equal(404)
    expect((await openAs(cast.max).submit(`/playlists/${id}/calls/${calls[0]}`, { change: 'remove' })).status).to.equal(404) // prettier-ignore
  })

  it('calls without audio, or for people who cannot listen, are not played', async () => {
    const id = await insertShared(app, 'playlists', cast.hanna.id)
    for (const call of calls) await insertPlaylistItem(app, id, call, cast.hanna.id)
    await app.db.query('UPDATE recordings SET size_bytes = 0 WHERE id = $1', [calls[0]])
    const { text } = await openAs(cast.hanna).open(`/playlists/${id}`)
    await app.db.query('UPDATE recordings SET size_bytes = 1')
    expect(text.match(/data-track="/g)).to.have.length(1)
    expect(text).to.match(/data-no-audio>no recording/)
  })

  describeInBrowser('panel: playlists in a browser', (chrome) => {
    const rowNames = (page: Page) => page.locator('.playlist-calls tbody td.name').allInnerTexts()
    const playing = (page: Page, phone: string) =>
      page.locator('.playlist-calls tr[aria-current]', { hasText: phone }).waitFor()
    async function endCall(page: Page): Promise<void> {
      const read = (code: string) => page.evaluate<boolean>(`(() => { const audio = document.querySelector('[data-track-audio]'); ${code} })()`) // prettier-ignore
      await waitUntil('it plays', () => read('return !audio.paused && Number.isFinite(audio.duration)'))
      await read('audio.currentTime = audio.duration - 0.1')
    }

    it('a person adds calls on their pages, plays them through, orders and removes them', async () => {
      const page = await chrome.open(`${app.panelUrl}/recordings/${calls[0]}`, {
        cookie: cast.hanna.headers.Cookie!,
        viewport: { width: 1440, height: 900 },
      })
      await page.evaluate(`document.getElementById('sound').load()`)
      await waitUntil('the audio is loaded', () => page.evaluate<boolean>(`document.getElementById('sound').readyState > 0`)) // prettier-ignore
      await page.evaluate(`void (document.getElementById('sound').currentTime = 5)`)
      await page.locator('summary', { hasText: 'Playlist' }).click()
      await waitUntil('the moment is filled in', async () => (await page.getByRole('textbox', { name: 'Play from' }).inputValue()) === '0:05') // prettier-ignore
      await page.getByLabel('Name').fill('Best objections')
      await page.getByRole('button', { name: 'Add' }).click()
      await page.locator('#details').getByRole('link', { name: 'Best objections' }).waitFor()
      await page.goto(`${app.panelUrl}/recordings/${calls[1]}`)
      await page.locator('summary', { hasText: 'Playlist' }).click()
      await page.getByRole('button', { name: 'Add' }).click()
      await page.locator('#details').getByRole('link', { name: 'Best objections' }).click()

      await page.locator('.playlist-calls').waitFor()
      await page.keyboard.press('p')
      await playing(page, '111-11-11')
      await endCall(page)
      await playing(page, '222-22-22')
      await page.locator('[id^=play-]').nth(1).focus()
      await page.keyboard.press('Alt+ArrowUp')
      await waitUntil('it is first', async () => (await rowNames(page))[0]!.includes('222-22-22'))
      await playing(page, '222-22-22')
      expect(await page.locator('#track-player').isVisible(), 'still playing').to.equal(true)
      await page.keyboard.press('n')
      await playing(page, '111-11-11')
      await endCall(page)
      await page.locator('#track-player').waitFor({ state: 'hidden' })

      await page.getByRole('button', { name: /^Remove:.*222-22-22/ }).click()
      await waitUntil('one is left', async () => (await rowNames(page)).length === 1)
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByLabel('Name').fill('Objections')
      await page.getByRole('button', { name: 'Save' }).click()
      expect(await page.locator('h1').innerText()).to.equal('Objections')
      await page.goto(`${app.panelUrl}/playlists`)
      expect(await page.locator('tbody td.name').allInnerTexts()).to.deep.equal(['Objections'])
    })
  })
})

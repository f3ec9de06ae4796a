import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { CommentJson } from '../../work/comments/schema.ts'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'
import { waitUntil } from '../../test/wait.ts'
import { SAMPLE_SEGMENTS } from '../every-page.test.ts'

describeInBrowser('panel: comments on a call', (chrome) => {
  let app: TestPanel
  let cast: TestPeople
  let id: string
  let comments: string

  before(async () => {
    app = await startTestPanel()
    cast = await createTestPeople(app)
    app.recognizer.answer = (recognition) => recognition.finish(SAMPLE_SEGMENTS)
  })
  after(() => app.stop())
  beforeEach(async () => {
    id = (await app.ida.upload(await readFile('samples/call.wav'), { managerName: 'Max' })).json.id
    await waitUntil('done', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'DONE')
    await app.db.query('UPDATE recordings SET duration_seconds = 17.5 WHERE id = $1', [id])
    comments = `/v1/recordings/${id}/comments`
  })

  const open = (person: { headers: Record<string, string> }, path = `/recordings/${id}`, options = {}) =>
    chrome.open(app.panelUrl + path, { cookie: person.headers.Cookie!, ...options })
  const fetchComments = async (): Promise<CommentJson[]> => (await app.olga.get(comments)).json.items
  const seek = (page: Page, seconds: number) =>
    page.evaluate(`(() => {
      const audio = document.getElementById('sound')
      audio.currentTime = ${seconds}
      audio.dispatchEvent(new Event('timeupdate'))
    })()`)
  const readPosition = (page: Page) => page.evaluate<number>(`document.getElementById('sound').currentTime`)
  const findTurn = (page: Page, n: number) => page.locator('.lines li').nth(n)
  const openFormWithKey = async (page: Page) => {
    await page.keyboard.press('m')
    await page.locator('#comment-text:focus').waitFor()
  }

  it('M comments on the current moment, @ offers people, and Ctrl Enter saves', async () => {
    const page = await open(cast.hanna)
    await seek(page, 10.27)
    await openFormWithKey(page)
    expect(await page.locator('#comment-at').inputValue()).to.equal('0:10.2')
    await page.keyboard.type('Well said, @')
    await page.locator('#mention-options li', { hasText: 'Max' }).waitFor()
    await page.keyboard.type('ma')
    expect(await page.locator('#mention-options li').allTextContents()).to.deep.equal(['Max'])
    await page.keyboard.press('Enter')
    await page.keyboard.type('and thanks')
    await page.keyboard.press('Control+Enter')
    await findTurn(page, 2).locator('.comment.marked', { hasText: 'Well said, @Max and thanks' }).waitFor()
    expect(await page.locator('#comment-form form').count()).to.equal(0)
    expect(await page.locator('#comment-list summary').textContent()).to.equal('1 comment')
    expect(await page.locator('#comment-dots a').getAttribute('aria-label')).to.equal(
      'Play from 0:10: comment of Hanna',
    )
    const [comment] = await fetchComments()
    expect(comment).to.deep.include({ at: 10.2, mentions: [{ id: cast.max.id, name: 'Max' }] })
  })

  it('a person replies to a comment and edits and deletes their own', async () => {
    const { id: first } = (await cast.hanna.post(comments, { at: 10, text: 'Slower, please' })).json
    const max = await open(cast.max)
    const thread = findTurn(max, 2).locator('.thread')
    expect(await thread.locator('.own').count()).to.equal(0)
    await thread.getByText('Reply').click()
    await max.locator('#comment-text:focus').fill('I will')
    await max.getByRole('button', { name: 'Save' }).click()
    await thread.locator('.comment', { hasText: 'I will' }).waitFor()
    const hanna = await open(cast.hanna)
    const own = findTurn(hanna, 2).locator('.thread')
    await own.getByText('Edit').click()
    await hanna.locator('#comment-text:focus').fill('Much slower')
    await hanna.keyboard.press('Control+Enter')
    await own.locator('.comment', { hasText: 'edited' }).waitFor()
    await own.locator('summary', { hasText: 'Delete' }).click()
    await own.getByRole('button', { name: 'Delete comment' }).click()
    await own.getByText('Comment deleted').waitFor()
    expect(await hanna.locator('#comment-list summary').textContent()).to.equal('1 comment')
    expect((await fetchComments()).map((one) => [one.text, one.replyTo])).to.deep.equal([
      ['', null],
      ['I will', first],
    ])
  })

  it('a dot plays from its moment and shows the comment', async () => {
    await cast.hanna.post(comments, { at: 10, text: 'Slower, please' })
    const page = await open(cast.max)
    await page.locator('#comment-dots a').click()
    await waitUntil('it plays', async () => (await readPosition(page)) > 10)
    await findTurn(page, 2).locator('.comment.marked').waitFor()
  })

  it('the copied link of a comment plays from shortly before it and marks it', async () => {
    const comment = (await cast.hanna.post(comments, { at: 10, text: 'Slower, please' })).json
    const page = await open(cast.hanna)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('link', { name: 'Copy link to the comment at 0:10' }).click()
    await page.locator('.comment .share.copied').waitFor()
    const link = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(link).to.equal(`${app.panelUrl}/recordings/${id}?comment=${comment.id}&t=10#play`)
    const there = await open(cast.max, link.replace(app.panelUrl, ''))
    await waitUntil('it plays', async () => (await readPosition(there)) > 8)
    expect(await there.locator('.comment.marked').isVisible()).to.equal(true)
  })

  it('an unsaved comment survives a failure and a reload, and the error names the rule', async () => {
    const page = await open(cast.hanna)
    await openFormWithKey(page)
    await page.locator('#comment-at').fill('0:40')
    await page.locator('#comment-text').fill('A long thought')
    await page.keyboard.press('Control+Enter')
    await page.locator('#comment-at-error', { hasText: 'Must not be after the end of the call.' }).waitFor()
    await page.route('**/comments?*', (route) => route.fulfill({ status: 503, body: '' }))
    await page.locator('#comment-at').fill('0:05')
    await page.keyboard.press('Control+Enter')
    await page.locator('#comment-not-saved', { hasText: 'Not saved. Try again.' }).waitFor()
    expect(await page.locator('#comment-text').inputValue()).to.equal('A long thought')
    await page.goto(page.url())
    await page.locator('#comment-text').waitFor()
    expect(await page.locator('#comment-text').inputValue()).to.equal('A long thought')
    expect(await page.locator('#comment-at').inputValue()).to.equal('0:05')
    await page.unroute('**/comments?*')
    await page.getByRole('button', { name: 'Save' }).click()
    await findTurn(page, 1).locator('.comment', { hasText: 'A long thought' }).waitFor()
    await page.goto(page.url())
    expect(await page.locator('#comment-form form').count()).to.equal(0)
    chrome.ignoreErrors(/status of (400|503)/)
  })

  it('Enter offers no person once the cursor has left the name', async () => {
    const page = await open(cast.hanna)
    await openFormWithKey(page)
    await page.keyboard.type('@ma')
    await page.locator('#mention-options li', { hasText: 'Max' }).waitFor()
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.locator('#mention-options').waitFor({ state: 'hidden' })
    expect(await page.locator('#comment-text').inputValue()).to.equal('@ma')
  })

  it('an unsaved text whose form cannot be opened again appears in no other form', async () => {
    await cast.max.post(comments, { at: 10, text: 'Slower, please' })
    const page = await open(cast.hanna)
    await findTurn(page, 2).locator('.thread').getByText('Reply').click()
    await page.locator('#comment-text:focus').fill('A long thought')
    await page.route('**/comment-form?*', (route) => route.fulfill({ status: 503, body: '' }))
    const failed = page.waitForResponse((response) => response.status() === 503)
    await page.goto(page.url())
    await failed
    await page.unroute('**/comment-form?*')
    await openFormWithKey(page)
    expect(await page.locator('#comment-text').inputValue()).to.equal('')
    await page.locator('[data-close-comment]').click()
    await findTurn(page, 2).locator('.thread').getByText('Reply').click()
    await page.locator('#comment-text:focus').waitFor()
    expect(await page.locator('#comment-text').inputValue()).to.equal('A long thought')
    chrome.ignoreErrors(/status of 503/)
  })

  it('without scripts, a person writes, mentions, edits and deletes with forms', async () => {
    const page = await open(cast.hanna, `/recordings/${id}`, { javaScriptEnabled: false })
    await page.getByRole('link', { name: 'Comment' }).click()
    await page.locator('#comment-at').fill('0:10')
    await page.locator('#comment-text').fill('Look at this')
    await page.getByLabel('Max').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.comment.marked', { hasText: 'Look at this @Max' }).waitFor()
    await page.locator('.thread').getByText('Edit').click()
    expect(await page.getByLabel('Max').isChecked()).to.equal(true)
    await page.locator('#comment-text').fill('Look here')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.comment', { hasText: 'Look here @Max' }).waitFor()
    await page.locator('.comment summary').click()
    await page.getByRole('button', { name: 'Delete comment' }).click()
    await page.waitForURL((url) => url.search === '')
    expect(await page.locator('.comment').count()).to.equal(0)
  })

  it('a link to a deleted comment opens the call and says so', async () => {
    const { id: comment } = (await cast.hanna.post(comments, { at: 1, text: 'Look' })).json
    await cast.hanna.delete(`${comments}/${comment}`)
    const max = app.browser({ Cookie: cast.max.headers.Cookie! })
    const { status, text } = await max.open(`/recordings/${id}?comment=${comment}`)
    expect(status).to.equal(200)
    expect(text).to.include('This comment was deleted.')
  })

  it('a call without audio and transcript has comments too', async () => {
    const [bare] = await insertCalls(app, [{ status: 'CANCELLED', manager: 'Max', duration: 60 }])
    await app.db.query('UPDATE recordings SET size_bytes = 0 WHERE id = $1', [bare])
    const page = await open(cast.max, `/recordings/${bare}`)
    await openFormWithKey(page)
    await page.locator('#comment-at').fill('0:30')
    await page.locator('#comment-text').fill('What happened here?')
    await page.keyboard.press('Control+Enter')
    await page.locator('#threads-0 .comment', { hasText: 'What happened here?' }).waitFor()
  })

  it('a person who cannot see the call neither reads nor writes its comments', async () => {
    const { id: comment } = (await cast.max.post(comments, { at: 1, text: 'My call' })).json
    const otto = app.browser({ Cookie: cast.otto.headers.Cookie! })
    const paths = ['', '/comments', `/comments/${comment}`, '/comment-form?write=0']
    for (const path of paths) {
      const { status, text } = await otto.open(`/recordings/${id}${path}`, { 'HX-Request': 'true' })
      expect([path, status]).to.deep.equal([path, 404])
      expect(text).not.to.include('My call')
    }
    await otto.submit(`/recordings/${id}/comments?write=0`, { at: '0:01', text: 'Hello' })
    expect((await fetchComments()).length).to.equal(1)
  })

  it('texts and names with markup appear as plain text', async () => {
    const text = `"'><script>hit()</script><img src=x onerror=hit()> <%= 7*7 %> \n=1+1`
    const name = `<b onclick="hit()">Eve</b>`
    await app.db.query('UPDATE people SET name = $1 WHERE id = $2', [name, cast.hanna.id])
    await cast.hanna.post(comments, { at: 1, text })
    await cast.max.post(comments, { at: 2, text: `@${name} ${text}`, mentions: [cast.hanna.id] })
    const page = await open(cast.max)
    await openFormWithKey(page)
    await page.keyboard.type('@')
    await page.locator('#mention-options li', { hasText: name }).waitFor()
    expect(await page.locator('.comment .words').allTextContents()).to.deep.equal([text, `@${name} ${text}`])
    expect(await page.locator('[onclick], [onerror], [src=x]').count()).to.equal(0)
  })
})

import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'
import { waitUntil } from '../../test/wait.ts'
import { MAX_CALL_COMMENTS } from '../../work/comments/values.ts'

const SECONDS = 7200
const ROWS = 2400
const WORDS = 'Здесь лучше спросить про доставку, а не про цену, тогда клиент сам назовёт удобный день'.split(' ')
const buildText = (n: number) =>
  Array.from({ length: 12 }, (_, i) => WORDS[(i * 7 + n * 3 + n * i) % WORDS.length]).join(' ')

describeInBrowser('panel: a call of two hours with many comments', (chrome) => {
  let app: TestPanel
  let olga: PanelBrowser
  let id: string

  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    olga = await app.openOwnerBrowser()
    ;[id] = (await insertCalls(app, [{ duration: SECONDS }])) as [string]
    const segments = Array.from({ length: ROWS }, (_, n) => ({
      start: n * 3,
      end: n * 3 + 2.9,
      channel: n % 2,
      text: buildText(n),
    }))
    await app.db.query('UPDATE transcripts SET segments = $1', [JSON.stringify(segments)])
  })
  after(() => app.stop())

  /** Replaces the comments by as many as a call can have. @param distance seconds between their moments */
  async function fill(distance: number): Promise<void> {
    await app.db.query('DELETE FROM call_comments')
    await app.db.query(
      `INSERT INTO call_comments (id, recording_id, at_seconds, text, person_id)
       SELECT gen_random_uuid(), $1, (n - 1) * $2::float8, text, (SELECT id FROM people LIMIT 1)
         FROM unnest($3::text[]) WITH ORDINALITY AS c (text, n)`,
      [id, distance, Array.from({ length: MAX_CALL_COMMENTS }, (_, n) => buildText(n))],
    )
  }

  const measure = async () => gzipSync((await olga.open(`/recordings/${id}`)).text).length

  it('the most comments add at most 10 KB to the compressed page, 25 KB if all are on one turn', async () => {
    const without = await measure()
    await fill(SECONDS / MAX_CALL_COMMENTS)
    expect((await measure()) - without).to.be.within(1000, 10_000)
    await fill(0)
    expect((await measure()) - without).to.be.within(1000, 25_000)
  })

  it('the list goes to a comment in a part that is not loaded, and shows all on request', async () => {
    await fill(SECONDS / MAX_CALL_COMMENTS)
    const page = await chrome.open(`${app.panelUrl}/recordings/${id}`, { cookie: olga.headers.Cookie! })
    await page.locator('#comment-list summary', { hasText: '500 comments' }).click()
    expect(await page.locator('#comment-list li').count()).to.equal(10)
    await page.locator('#comment-list').getByText('Show all').click()
    await waitUntil(
      'all are listed',
      async () => (await page.locator('#comment-list li').count()) === MAX_CALL_COMMENTS,
    )
    await page.locator('#comment-list li a').last().click()
    await page.locator('.comment.marked').waitFor()
    expect(await page.locator('.comment.marked .moment').textContent()).to.equal('1:59:45')
  })

  it('a folded thread opens in its turn', async () => {
    await fill(0)
    const page = await chrome.open(`${app.panelUrl}/recordings/${id}`, { cookie: olga.headers.Cookie! })
    const folded = page.locator('.thread.folded').last()
    const comment = (await folded.getAttribute('id'))!
    await folded.locator('a').click()
    await page.locator(`.comment.marked#${comment}`).waitFor()
  })
})

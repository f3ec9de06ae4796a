import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: setup steps of an owner', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api', ANALYSIS_PROVIDER: 'rules' })
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())

  /** Returns the HTML and the plain text of a checklist line. */
  const line = async (id: string) => {
    const { status, text } = await olga.open('/automation', { 'Accept-Language': 'en' })
    expect(status).to.equal(200)
    const item = text.slice(text.indexOf(`<li id="line-${id}"`)).split('</li>')[0]!
    const plain = item.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ').trim() // prettier-ignore
    return { item, plain }
  }

  const setAutomatic = (automatic: boolean) =>
    app.olga.put('/v1/analysis/settings', { agentChannel: { default: 0 }, automatic })

  it('the checklist counts only active people', async () => {
    await app.db.query(
      `INSERT INTO people (id, email, name, role, password_hash, active) VALUES (new_id(), 'hanna@example.com', 'Hanna', 'head', '-', false)`,
    )
    expect((await line('people')).plain).to.include('Only you can log in so far. to do')
    await app.db.query('UPDATE people SET active = true')
    expect((await line('people')).plain).to.include('2 people can log in. done')
  })

  it('the checklist counts the published rule sets of all pages', async () => {
    const { json } = await app.olga.get('/v1/rule-sets')
    const shipped = json.items.filter(({ version }: { version: number | null }) => version !== null).length as number
    await app.db.query(
      `WITH sets AS (
         INSERT INTO rule_sets (id, key, name, mode, position, origin)
         SELECT new_id(), 'more-' || n, '{"en": "More", "ru": "Ещё"}', 'label', 9000, 'own' FROM generate_series(1, 120) n RETURNING id)
       INSERT INTO rule_set_versions (id, rule_set_id, number, state, rules, hash, published_at)
       SELECT new_id(), id, 1, 'published', (SELECT rules FROM rule_set_versions LIMIT 1), 'more', now() FROM sets`,
    )
    expect((await line('rules')).plain).to.include(`${shipped + 120} rule sets published.`)
  })

  it('an owner turns on automatic checks in the checklist', async () => {
    expect((await line('checking')).plain).to.include('done')
    await setAutomatic(false)
    expect((await line('checking')).plain)
      .to.include('Off. New calls are not checked.')
      .and.include('to do')
    expect((await olga.submit('/automation/checking')).headers.get('location')).to.equal('/automation')
    expect((await line('checking')).plain).to.include('done')
  })

  it('the first call is done once it has a score, or is transcribed without automatic checks', async () => {
    const [id] = await insertCalls(app, [{}])
    expect((await line('call')).plain).to.include('to do')
    await setAutomatic(false)
    expect((await line('call')).plain).to.include('1 call transcribed. done')
    await setAutomatic(true)
    await app.db.query('UPDATE recordings SET score = 80 WHERE id = $1', [id])
    expect((await line('call')).plain).to.include('1 call has a score. done')
  })

  it('a step that cannot be loaded is unknown, and other steps stay visible', async () => {
    await app.db.query('ALTER TABLE rule_sets RENAME TO rule_sets_away')
    const { item, plain } = await line('rules')
    expect(plain).to.include('This status did not load. Reload the page. unknown')
    expect(item).to.include('href="/rule-sets"')
    expect((await line('people')).plain).to.include('done')
    await app.db.query('ALTER TABLE rule_sets_away RENAME TO rule_sets')
  })
})

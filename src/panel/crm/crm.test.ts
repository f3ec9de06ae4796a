import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { generateId } from '../../platform/lib/ids.ts'
import { describeInBrowser, reloadBrowserPage } from '../../test/browser.ts'
import { DISABLE_LIMITER_SQL, NO_PORTAL_LIMITS } from '../../test/portal/limits.ts'
import { TestPortal } from '../../test/portal/portal.ts'
import { waitUntil } from '../../test/wait.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'

for (const javaScriptEnabled of [true, false])
  describeInBrowser(`panel: CRM automation ${javaScriptEnabled ? 'with' : 'without'} scripts`, (chrome) => {
    let portal: TestPortal
    let app: TestPanel
    let page: Page
    before(async () => {
      portal = await new TestPortal().start()
      portal.limits = { ...NO_PORTAL_LIMITS }
      portal.data.addFunnel('Windows')
      portal.data.addFunnel('Doors')
      const anna = portal.data.addUser('Anna', 'Kovaleva', { WORK_POSITION: 'Sales manager' })
      portal.data.addUser('Boris', 'Orlov', { ACTIVE: false })
      for (let n = 0; n < 4; n++) portal.data.addDeal(`Deal ${n}`, { assignedById: anna })
      app = await startTestPanel({
        API_RUN_MODE: 'all',
        CRM_WEBHOOK_URL: portal.readUrl,
        CRM_WRITE_WEBHOOK_URL: portal.writeUrl,
        ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
        CRM_SYNC_PAUSE_SECONDS: 0,
      })
      await app.db.query(DISABLE_LIMITER_SQL)
      await app.olga.post('/v1/departments', { name: 'Sales' })
    })
    beforeEach(async () => {
      const cookie = app.olga.headers.Cookie!
      page = await chrome.open(`${app.panelUrl}/automation`, { javaScriptEnabled, cookie })
    })
    after(async () => {
      await app.stop()
      await portal.stop()
    })

    const line = (name: string) => page.locator(`#line-${name}`)
    const press = (scope: ReturnType<typeof line>, name: string) =>
      scope.getByRole('button', { name, exact: true }).click()
    const sure = async (scope: ReturnType<typeof line>, name: string, answer: string) => {
      await scope.locator('summary', { hasText: name }).click()
      await press(scope.locator('.sure'), answer)
    }
    /** Reloads the page between checks if scripts are disabled, because only scripts refresh it. */
    const refreshUntil = (what: string, isThere: () => Promise<boolean>) =>
      waitUntil(what, async () => {
        if (!javaScriptEnabled) await reloadBrowserPage(page)
        return isThere()
      })

    it('the checklist lists the set-up steps in order with their states', async () => {
      const ids = await page.locator('.checklist > li').evaluateAll((lines) => lines.map(({ id }) => id.slice(5)))
      expect(ids).to.deep.equal([
        'password', 'rules', 'checking', 'call', 'people', 'funnels', 'keys', 'variable', 'check', 'confirm', 'enable', 'read', 'managers', 'history',
        'writing',
      ]) // prettier-ignore
      const stateOf = async (name: string) => (await line(name).locator('.badge').textContent())!
      expect(await stateOf('password')).to.equal('done')
      expect(await stateOf('people')).to.equal('to do')
      expect(await stateOf('keys'), 'the tests’ own').to.equal('done')
      expect(await line('rules').locator('a').getAttribute('href')).to.equal('/rule-sets')
    })

    it('an owner sets up the CRM step by step, from the webhook to the roster', async () => {
      expect(portal.requests).to.deep.equal([])
      portal.read.scopes = ['crm', 'user_basic']
      await press(line('check'), 'Check')
      await line('check')
        .getByText('Give the webhook these permissions in Bitrix24: telephony, department, disk')
        .waitFor()
      portal.read.scopes = ['crm', 'telephony', 'user_basic', 'department', 'disk']
      await press(line('check'), 'Check again')
      await line('check').getByText('The webhook has the permissions of').waitFor()
      await sure(line('confirm'), 'Confirm', 'Confirm portal')
      await page.getByText('Confirmed.').waitFor()
      await sure(line('enable'), 'Turn on', 'Turn on')
      await page.getByText('Automation is on. Syncing has started.').waitFor()
      expect(await page.locator('h1 .badge').textContent()).to.equal('on')
      await waitUntil('funnels are read', async () => (await app.olga.get('/v1/crm/funnels')).json.length === 2)
      await line('funnels').getByRole('link', { name: 'Departments' }).click()
      await page.getByRole('link', { name: 'Sales', exact: true }).click()
      await page.getByLabel('Windows (0)').check()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved.', { exact: true }).waitFor()
      await waitUntil('deals are read', async () => {
        const { json } = await app.olga.get('/v1/crm/steps')
        const hasRun = (step: { name: string; lastSuccessAt: string | null }) =>
          step.name !== 'control' && step.lastSuccessAt
        return json.filter(hasRun).length >= 7
      })
      await page.goto(`${app.panelUrl}/automation/managers`)
      await page.getByRole('button', { name: 'Determine managers' }).click()
      await page.getByText('Likely managers are preselected.').waitFor()
      await page.locator('.changes').getByText('Anna Kovaleva joins Sales').waitFor()
      const selected = page.getByLabel('Department of Anna Kovaleva').locator('option:checked')
      expect(await selected.textContent()).to.equal('Sales')
      await page.getByLabel('Department of Boris Orlov').selectOption('Sales')
      await page.getByRole('button', { name: 'Show changes' }).click()
      await page.locator('.changes').getByText('Boris Orlov joins Sales').waitFor()
      expect((await app.olga.get('/v1/crm/roster')).json.members).to.deep.equal([])
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText('Roster applied.').waitFor()
      expect(
        (await app.olga.get('/v1/crm/roster')).json.members.map(({ name }: { name: string }) => name),
      ).to.deep.equal(['Anna Kovaleva', 'Boris Orlov'])
      await page.goto(`${app.panelUrl}/automation`)
      await line('managers').getByText('Calls of 2 managers are loaded.').waitFor()
    })

    it('an owner sees advice for a failed step, runs it and resets it', async () => {
      portal.deniedMethods.add('user.get')
      await page.goto(`${app.panelUrl}/automation/steps`)
      const users = page.locator('#step-users')
      await press(users, 'Run now: People')
      await page.getByText('The step starts soon.').waitFor()
      await refreshUntil('it is blocked', () => users.getByText('The webhook’s user lacks a permission').isVisible())
      portal.deniedMethods.clear()
      await press(users, 'Run now: People')
      await refreshUntil('it has run', () => users.getByText('up to date').isVisible())
      await sure(users, 'Reset', 'Reset')
      await page.getByText('The step loads everything again. Loaded data stays.').waitFor()
      await sure(page.locator('.head'), 'Reset all steps', 'Reset all steps')
      await page.getByText('All steps load everything again. Loaded data stays.').waitFor()
    })

    it('an owner previews a comment, turns comments on and sees written ones counted', async () => {
      const [{ id: deal }] = (await app.db.query('SELECT id FROM crm_deals ORDER BY id LIMIT 1')).rows
      const add = async () => {
        const id = generateId()
        await app.db.query(
          `INSERT INTO recordings (id, source, storage_key, size_bytes, status, call_started_at, manager_name, score)
           VALUES ($1, 'crm', $2, 1, 'DONE', now(), 'Anna Kovaleva', 72)`,
          [id, id],
        )
        await app.db.query(
          `WITH checked AS (
             INSERT INTO analyses (id, recording_id, status, is_current, score) VALUES ($3, $1, 'DONE', true, 72))
           INSERT INTO crm_call_deals (recording_id, deal_id, linked_by) VALUES ($1, $2, 'phone')`,
          [id, deal, generateId()],
        )
        return id
      }
      portal.write.scopes = ['crm']
      portal.data.comments.clear()
      const call = await add()
      await page.goto(`${app.panelUrl}/automation`)
      await line('writing').getByRole('link', { name: 'Preview' }).click()
      await page.getByLabel('Call to preview').fill(`${app.panelUrl}/recordings/${call}`)
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.getByText(`The comment goes to deal ${deal}.`).waitFor()
      expect(await page.locator('pre').textContent()).to.include('Anna Kovaleva')
      expect(portal.data.comments.rows).to.deep.equal([])
      await sure(page.locator('.head'), 'Turn on comments', 'Turn on')
      await waitUntil('the badge says so', async () => (await page.locator('h1 .badge').textContent()) === 'on')
      const written = await add()
      await waitUntil('it is written', async () => {
        await app.db.query(`UPDATE crm_comments SET next_attempt_at = now() WHERE status = 'QUEUED'`)
        await app.db.query(`UPDATE crm_steps SET due_at = now() WHERE lease_until IS NULL`)
        return portal.data.comments.rows.some(({ COMMENT }) => COMMENT.includes(written))
      })
      // The page does not refresh itself, and the portal has the comment before the service stores the response.
      await waitUntil('it is counted', async () => {
        await reloadBrowserPage(page)
        return /Written\s*[1-9]/.test(await page.locator('dl.cards').innerText())
      })
      await press(page.locator('.head'), 'Turn off comments')
      await waitUntil('the badge says so', async () => (await page.locator('h1 .badge').textContent()) === 'off')
    })

    it('an owner pauses, resumes and turns off the automation', async () => {
      await page.goto(`${app.panelUrl}/automation`)
      await press(page.locator('.head'), 'Pause')
      await page.getByText('Automation paused.').waitFor()
      await press(page.locator('.head'), 'Resume')
      await page.getByText('Automation resumed.').waitFor()
      await sure(page.locator('.head'), 'Turn off', 'Turn off')
      await page.getByText('Automation is off.').waitFor()
      expect((await app.olga.get('/v1/crm/connection')).json.state).to.equal('off')
    })
  })

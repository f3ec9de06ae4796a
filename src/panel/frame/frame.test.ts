import http from 'node:http'
import { expect } from 'chai'
import { ApiError } from './api-client.ts'
import { FormValues } from './fields.ts'
import { createFormWithErrors } from './form.ts'
import type { Language } from './i18n.ts'
import { createPanelLanguages } from '../words.ts'
import { createTemplateRenderer } from './context.ts'
import { findPanelRoot } from './root.ts'
import { startTestPanelServer, startTestPanel, type TestPanel } from '../../test/panel.ts'

const [en, ru] = createPanelLanguages('Europe/Minsk') as [Language, Language]

describe('panel: frame and forms', () => {
  let app: TestPanel
  before(async () => {
    app = await startTestPanel()
  })
  after(() => app.stop())

  it('the language of the account takes precedence over that of the browser', async () => {
    const api = http.createServer((request, response) => {
      const person = { name: 'Анна', role: 'owner', rights: {}, language: 'ru' }
      const found = request.url === '/v1/auth/me' ? { person } : undefined
      response.writeHead(found ? 200 : 404, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(found ?? { message: 'no' }))
    })
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
    const panel = await startTestPanelServer(app.config, `http://127.0.0.1:${(api.address() as { port: number }).port}`)
    try {
      const response = await fetch(`${panel.url}/recordings`, { headers: { 'Accept-Language': 'en' } })
      expect(await response.text())
        .to.contain('<html lang="ru">')
        .and.contain('Не найдено')
    } finally {
      await panel.stop()
      await new Promise((resolve) => api.close(resolve))
    }
  })

  it('the menu highlights the current page and shows the number of calls', async () => {
    await app.submitCall('PROCESSING')
    const { text } = await (await app.openOwnerBrowser()).open('/recordings')
    expect(text).to.match(/<a href="\/recordings" aria-current="page">Calls <span [^>]*class="count">1<\/span>/)
    expect(text).to.match(
      /<nav aria-label="Work">.*?href="\/recordings".*?<h2 id="settings">Settings.*?href="\/people"/s,
    )
    const foot = /<div class="own">(.*?)<\/div>\s*<\/div>\s*<\/div>/s
      .exec(text)![1]!
      .replace(/<span class="hidden">.*?<\/span>|<[^>]*>/gs, '')
    expect(foot.split(/\s+/).filter(Boolean).join(' ')).to.equal('owner · RU · Log out')
  })

  it('errors of fields appear beside them, other errors above the form', () => {
    const values = FormValues.of({ email: 'x', name: '', note: 'n' })
    const error = new ApiError(400, [
      { field: 'email', text: 'Введите адрес почты.' },
      { field: 'departments.0', text: 'Must be odd.' },
      { field: 'other', text: 'Такого поля нет.' },
      { text: 'What names no field.' },
    ])
    const form = createFormWithErrors(error, values, ['email', 'name', 'departments'], ru)
    expect(form.errors).to.deep.equal({ email: 'Введите адрес почты.', departments: 'Must be odd.' })
    expect(form.error).to.equal('other: Такого поля нет. What names no field.')
    expect(() => createFormWithErrors(new ApiError(404, []), values, [], en)).to.throw(ApiError)
  })

  it('a field has its label, hint, error and typed value, except a password', () => {
    const values = FormValues.of({ name: '"><b>', kind: 'b', secret: 'hunter22', parts: ['1', '3'] })
    const form = { values, errors: { name: 'Too <long>.' }, error: null }
    const views = createTemplateRenderer(findPanelRoot())
    const show = (data: object) => views.render('_field', { words: en.words, form, label: 'L', ...data })
    const text = show({ name: 'name', hint: 'H', attrs: { maxlength: 9, required: true, autofocus: false } })
    expect(text).to.contain('<label for="f-name">L</label>').and.contain('aria-describedby="f-name-hint f-name-error"')
    expect(text).to.contain('value="&quot;&gt;&lt;b&gt;" maxlength="9" required data-missing="')
    expect(text).to.contain('id="f-name-error">Too &lt;long&gt;.<').and.contain('aria-invalid="true"')
    expect(show({ name: 'secret', type: 'password' })).not.to.contain('hunter22')
    const options = [
      { value: 'a', text: 'A' },
      { value: 'b', text: 'B' },
    ]
    expect(show({ name: 'kind', type: 'select', options })).to.contain('<option value="b" selected>B</option>')
    const choices = views.render('_choices', { form, label: 'P', name: 'parts', options: [{ value: 3, text: '<3' }] })
    expect(choices).to.contain('value="3" checked>').and.contain('&lt;3')
  })
})

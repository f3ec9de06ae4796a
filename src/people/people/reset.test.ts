import { expect } from 'chai'
import { createDataSource } from '../../platform/db/db.ts'
import { runServiceCommand } from '../../test/service-process.ts'
import { OWNER_CREDENTIALS, startTestApp, type TestApp } from '../../test/server.ts'
import { resetPassword } from './service.ts'

describe('command reset-password', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  const reset = async (email: string, password: string, activate?: boolean) => {
    const db = await createDataSource(app.config.DATABASE_URL!, { poolSize: 1 }).initialize()
    try {
      return await resetPassword(db, email, password, activate).then(
        () => 'done',
        (error: Error) => error.message,
      )
    } finally {
      await db.destroy()
    }
  }
  const logIn = async (password: string) =>
    (await app.nobody.post('/v1/auth/login', { ...OWNER_CREDENTIALS, password })).status

  it('resetPassword() sets a password, ends all sessions and writes an audit entry', async () => {
    expect((await app.olga.get('/v1/auth/me')).status).to.equal(200)
    expect(await reset('Olga@Example.com', 'new-pass-word-here')).to.equal('done')
    expect((await app.olga.get('/v1/auth/me')).status, 'the session from before').to.equal(401)
    expect([await logIn(OWNER_CREDENTIALS.password), await logIn('new-pass-word-here')]).to.deep.equal([401, 200])
    const { rows } = await app.db.query(`SELECT person_id, object_name, details::text AS details FROM audit
                                            WHERE action = 'person.change' ORDER BY id DESC LIMIT 1`)
    expect(rows[0]).to.include({ person_id: null, object_name: 'olga' })
    expect(rows[0].details).to.include('reset-password').and.not.include('new-pass-word')
  })

  it('resetPassword() rejects an unknown e-mail, and a deactivated person without activate', async () => {
    expect(await reset('nobody@example.com', 'x')).to.equal('nobody has the e-mail nobody@example.com')
    await app.db.query('UPDATE people SET active = false')
    expect(await reset(OWNER_CREDENTIALS.email, 'another-password')).to.match(/is deactivated: add --activate/)
    expect(await reset(OWNER_CREDENTIALS.email, 'another-password', true)).to.equal('done')
    expect(await logIn('another-password')).to.equal(200)
  })

  it('the command reset-password prints a working password or an error', async () => {
    const env = { DATABASE_URL: app.config.DATABASE_URL }
    const { code, out, err } = await runServiceCommand(['reset-password', OWNER_CREDENTIALS.email], env)
    expect(code).to.equal(0)
    expect(err, 'which installation').to.match(/^reset-password: the stack: database \S+ at \S+, audio in \S+\n$/)
    expect(out).to.match(/^\S+\n$/)
    expect(await logIn(out.trim())).to.equal(200)
    const wrong = await runServiceCommand(['reset-password', 'nobody@example.com'], env)
    expect(wrong).to.include({ code: 1, out: '' })
    expect(wrong.err).to.match(/\nreset-password: nobody has the e-mail nobody@example\.com\n$/)
  })
})

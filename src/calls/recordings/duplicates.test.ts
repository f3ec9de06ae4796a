import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { createLoggedInPerson } from '../../test/people.ts'
import { TestPublicServer } from '../../test/public-server.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('duplicate audio', () => {
  let app: TestApp
  const server = new TestPublicServer()
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    await server.start()
  })
  after(async () => {
    await server.stop()
    await app.stop()
  })
  afterEach(() => app.db.query('DELETE FROM recordings'))

  it('the response for a second call with the same audio names the first', async () => {
    const first = (await app.ida.upload('same', {}, 'one.wav')).json
    expect(first).not.to.have.property('duplicateOf')
    const { status, json: second } = await app.ida.upload('same', {}, 'two.wav')
    expect(status).to.equal(201)
    const duplicateOf = { id: first.id, fileName: 'one.wav', createdAt: first.createdAt }
    expect(second.duplicateOf).to.deep.equal(duplicateOf)
    const third = (
      await app.ida.post('/v1/recordings/from-url', { url: server.serveFile('/x.wav', Buffer.from('same')) })
    ).json
    expect(third.duplicateOf).to.deep.equal(duplicateOf)
    expect((await app.ida.upload('other')).json).not.to.have.property('duplicateOf')
    // Callbacks contain the recording as GET returns it, and anybody can receive them.
    expect((await app.ida.get(`/v1/recordings/${second.id}`)).json).not.to.have.property('duplicateOf')
  })

  it('the response hides that an invisible call has the same audio', async () => {
    const rights = { manageRecordings: true }
    const [anna, max] = [
      await createLoggedInPerson(app, 'Anna', { rights }),
      await createLoggedInPerson(app, 'Max', { rights }),
    ]
    const first = (await anna.upload('secret')).json
    const copy = (await max.upload('secret')).json
    const fresh = (await max.upload('fresh!')).json
    expect(Object.keys(copy)).to.deep.equal(Object.keys(fresh))
    expect((await app.ida.upload('secret')).json.duplicateOf.id, 'keys see all').to.equal(first.id)
    const own = (await max.upload('secret')).json
    expect(own.duplicateOf.id, 'the first that he sees').to.equal(copy.id)
  })

  it('all concurrent uploads of one file but one are duplicates', async () => {
    const calls = await Promise.all(Array.from({ length: 8 }, () => app.ida.upload('at once')))
    const duplicates = calls.map(({ json }) => json.duplicateOf)
    expect(duplicates.filter((duplicate) => duplicate === undefined)).to.have.length(1)
  })

  it('the service hashes the stored bytes and never compares calls without a hash', async () => {
    const { id } = (await app.ida.upload('hashed')).json
    const { rows } = await app.db.query('SELECT audio_sha256 FROM recordings WHERE id = $1', [id])
    expect(rows[0].audio_sha256.equals(createHash('sha256').update('hashed').digest())).to.equal(true)
    await app.db.query('UPDATE recordings SET audio_sha256 = NULL')
    expect((await app.ida.upload('hashed')).json).not.to.have.property('duplicateOf')
  })
})

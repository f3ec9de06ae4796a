import { expect } from 'chai'
import { fetchNewAuditEntries } from '../../test/audit.ts'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { insertComment } from '../../test/work-objects.ts'
import { MAX_CALL_COMMENTS } from './values.ts'

describe('comments', () => {
  let app: TestApp
  let cast: TestPeople
  let olga: string
  let call: string
  let comments: string
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    cast = await createTestPeople(app)
    olga = (await app.olga.get('/v1/auth/me')).json.person.id
  })
  after(() => app.stop())
  beforeEach(async () => {
    ;[call] = (await insertCalls(app, [{ manager: 'Max', duration: 60 }])) as [string]
    comments = `/v1/recordings/${call}/comments`
  })

  it('shows everybody who sees the call the threads by their moment', async () => {
    const late = (await cast.hanna.post(comments, { at: 40, text: 'Slower, please' })).json
    const early = (await app.olga.post(comments, { at: 5, text: 'A good start', mentions: [cast.max.id] })).json
    const reply = (await cast.max.post(comments, { at: 41, text: 'I will', replyTo: late.id })).json
    const second = (await cast.hanna.post(comments, { at: 40, text: 'Thanks', replyTo: reply.id })).json
    for (const client of [app.olga, cast.hanna, cast.max]) {
      const { items } = (await client.get(comments)).json
      expect(items.map(({ id }: { id: string }) => id)).to.deep.equal([early.id, late.id, reply.id, second.id])
    }
    expect(second.replyTo).to.equal(late.id)
    expect(early.mentions).to.deep.equal([{ id: cast.max.id, name: 'Max' }])
    expect((await cast.otto.get(comments)).status).to.equal(404)
  })

  it('only the author changes and deletes a comment', async () => {
    const { id } = (await cast.hanna.post(comments, { at: 1, text: 'Helo' })).json
    const address = `${comments}/${id}`
    for (const client of [app.olga, cast.max]) {
      expect((await client.patch(address, { text: 'No' })).status).to.equal(404)
      expect((await client.delete(address)).status).to.equal(404)
    }
    const { json } = await cast.hanna.patch(address, { text: 'Hello' })
    expect(json).to.include({ text: 'Hello', isOwn: true })
    expect(json.editedAt).to.be.a('string')
    expect((await cast.hanna.delete(address)).status).to.equal(204)
    expect((await cast.hanna.get(comments)).json.items).to.deep.equal([])
  })

  it('a deleted comment with replies keeps its place without its text', async () => {
    const first = (await cast.hanna.post(comments, { at: 1, text: 'A secret', mentions: [olga] })).json
    await cast.max.post(comments, { at: 1, text: 'Why?', replyTo: first.id })
    await cast.hanna.delete(`${comments}/${first.id}`)
    const { items } = (await cast.hanna.get(comments)).json
    expect(items.map((one: { text: string }) => one.text)).to.deep.equal(['', 'Why?'])
    expect(items[0]).to.include({ isDeleted: true, isOwn: false })
    expect((await cast.hanna.patch(`${comments}/${first.id}`, { text: 'Back' })).status).to.equal(404)
  })

  it('a deleted first comment disappears with its last reply', async () => {
    const first = (await cast.hanna.post(comments, { at: 1, text: 'Slower' })).json
    const replies = []
    for (const text of ['Why?', 'How?']) replies.push((await cast.max.post(comments, { at: 1, text, replyTo: first.id })).json.id) // prettier-ignore
    await cast.hanna.delete(`${comments}/${first.id}`)
    await cast.max.delete(`${comments}/${replies[0]}`)
    expect((await cast.max.get(comments)).json.items.length, 'one reply is left').to.equal(2)
    await cast.max.delete(`${comments}/${replies[1]}`)
    expect((await cast.max.get(comments)).json.items).to.deep.equal([])
  })

  it('offers everybody else who sees the call for mentions, and nobody else', async () => {
    const namesFor = async (client: typeof app.olga) => {
      const { items } = (await client.get(`/v1/recordings/${call}/mentionable-people`)).json
      return items.map(({ name }: { name: string }) => name)
    }
    const owner = (await app.olga.get('/v1/auth/me')).json.person.name
    expect(await namesFor(cast.max)).to.have.members(['Hanna', owner])
    expect(await namesFor(app.olga)).to.have.members(['Hanna', 'Max'])
    const { items } = (await app.olga.get(`/v1/recordings/${call}/mentionable-people`)).json
    const isManager = items.map(({ name, isCallManager }: Record<string, unknown>) => [name, isCallManager])
    expect(isManager).to.have.deep.members([
      ['Hanna', false],
      ['Max', true],
    ])
  })

  it('rejects a mention of a person who cannot see the call like one of an unknown person', async () => {
    const answers = await Promise.all(
      [cast.otto.id, call].map((id) => cast.max.post(comments, { at: 1, text: 'Look', mentions: [id] })),
    )
    for (const { status, json } of answers) {
      expect(status).to.equal(400)
      expect(json.message).to.deep.equal(['mentions must contain only people who can see the call'])
    }
  })

  it('keeps an old mention on an edit, although the person no longer sees the call', async () => {
    const { id } = (await cast.hanna.post(comments, { at: 1, text: 'Look', mentions: [cast.max.id] })).json
    await app.db.query(`UPDATE recordings SET manager_name = 'Anna' WHERE id = $1`, [call])
    const { status, json } = await cast.hanna.patch(`${comments}/${id}`, { text: 'See', mentions: [cast.max.id] })
    expect([status, json.mentions.length]).to.deep.equal([200, 1])
  })

  it('rejects blank texts, moments after the end and replies to comments on other calls', async () => {
    const [other] = await insertCalls(app, [{ manager: 'Max' }])
    const foreign = await insertComment(app, other!, cast.max.id)
    const messageOf = async (body: object) => (await cast.max.post(comments, body)).json.message
    expect(await messageOf({ at: 1, text: ' \n' })).to.deep.equal(['text must not be empty'])
    expect(await messageOf({ at: 61, text: 'Late' })).to.deep.equal(['at must not be after the end of the call'])
    expect(await messageOf({ at: 1, text: 'Yes', replyTo: foreign })).to.deep.equal([
      'replyTo must be a comment on this call',
    ])
  })

  it('limits the comments on a call', async () => {
    await app.db.query(
      `INSERT INTO call_comments (id, recording_id, at_seconds, text, person_id)
       SELECT gen_random_uuid(), $1, 0, 'x', $2 FROM generate_series(1, $3)`,
      [call, cast.max.id, MAX_CALL_COMMENTS],
    )
    expect((await cast.max.post(comments, { at: 1, text: 'One more' })).status).to.equal(409)
  })

  it('audits each change without its text', async () => {
    const entries = await fetchNewAuditEntries(app, async () => {
      const { id } = (await cast.max.post(comments, { at: 1, text: 'secret' })).json
      await cast.max.patch(`${comments}/${id}`, { text: 'secret too' })
      await cast.max.delete(`${comments}/${id}`)
    })
    const changes = entries.filter(({ action }) => action.startsWith('comment.'))
    expect(changes.map(({ action }) => action)).to.have.members(['comment.create', 'comment.change', 'comment.delete'])
    expect(JSON.stringify(changes)).not.to.include('secret')
  })

  it('keeps the comments of a deactivated person, and deletes those of a deleted call', async () => {
    const comment = await insertComment(app, call, olga)
    await app.db.query('UPDATE people SET active = false WHERE id = $1', [cast.otto.id])
    await insertComment(app, call, cast.otto.id)
    expect((await cast.max.get(comments)).json.items.length).to.equal(2)
    expect((await app.olga.delete(`/v1/recordings/${call}`)).status).to.equal(204)
    const { rows } = await app.db.query('SELECT FROM call_comments WHERE id = $1', [comment])
    expect(rows.length).to.equal(0)
  })
})

import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { expectPortalError, TestPortalClient } from '../../test/portal-client.ts'
import { MIN_DOWNLOAD_RATE, openPortalFile } from './download.ts'

const DEFAULT_MINIMUM_RATE = { ...MIN_DOWNLOAD_RATE }

describe('minimum download rate', () => {
  const client = new TestPortalClient()
  const { portal, call } = client
  before(() => client.start())
  beforeEach(async () => {
    await client.reset()
    Object.assign(MIN_DOWNLOAD_RATE, { overMs: 400, yieldsAfterMs: 100, looksEveryMs: 20 })
  })
  afterEach(() => void Object.assign(MIN_DOWNLOAD_RATE, DEFAULT_MINIMUM_RATE))
  after(() => client.stop())

  const open = async (content: Buffer, isWanted?: () => Promise<boolean>) => {
    const file = portal.data.addCall({ audio: content }).RECORD_FILE_ID
    const { DOWNLOAD_URL: url } = (await call('disk.file.get', { id: file })).result as { DOWNLOAD_URL: string }
    return openPortalFile(client.opened.core, client.callOptions, url, 1e6, isWanted)
  }
  const downloadAll = (content: Buffer, isWanted?: () => Promise<boolean>) =>
    open(content, isWanted).then(({ body }) => body.toArray())

  it('the minimum download rate is 8 KB per second, averaged over a minute', () => {
    expect(DEFAULT_MINIMUM_RATE).to.include({ bytesPerSecond: 8192, overMs: 60_000 })
  })

  it('a download that trickles or does not begin fails as too slow', async () => {
    for (const fault of [{ kind: 'trickle', everyMs: 10 }, { kind: 'silent' }] as const) {
      portal.faults = [{ method: 'download', times: 1, fault }]
      const { code, verdict } = await expectPortalError(downloadAll(Buffer.alloc(1000)))
      expect([code, verdict], fault.kind).to.deep.equal(['TOO_SLOW', 'retry'])
    }
  })

  it('slow storage on our side does not fail a download', async () => {
    const content = Buffer.alloc(300_000, 7)
    const { body } = await open(content)
    let received = 0
    for await (const chunk of body) {
      received += (chunk as Buffer).length
      if (received < 200_000) await pause(300)
    }
    expect(received).to.equal(content.length)
  })

  it('a slow download fails earlier if another call waits for its place', async () => {
    MIN_DOWNLOAD_RATE.overMs = 60_000
    portal.faults = [{ method: 'download', fault: { kind: 'trickle', everyMs: 10 } }]
    let isWanted = false
    const failure = expectPortalError(downloadAll(Buffer.alloc(1000), () => Promise.resolve(isWanted)))
    const isOver = await Promise.race([failure.then(() => true), pause(300, false)])
    expect(isOver, 'nobody waits').to.equal(false)
    isWanted = true
    expect((await failure).code).to.equal('TOO_SLOW')
  })

  it('a download that does not begin does not block other requests of its lane', async () => {
    MIN_DOWNLOAD_RATE.overMs = 60_000
    portal.faults = [{ method: 'download', times: 1, fault: { kind: 'silent' } }]
    let isWanted = false
    const failure = expectPortalError(downloadAll(Buffer.from('sound'), () => Promise.resolve(isWanted)))
    while (portal.findRequests('download').length === 0) await pause(10)
    expect((await call('profile')).result).to.have.property('ID')
    isWanted = true
    await failure
  })
})

import dns from 'node:dns'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { request } from 'undici'
import { FORBIDDEN_LINKS } from '../../test/forbidden-links.ts'
import {
  ForbiddenAddressError,
  createGuardedAgent,
  isPublicIpAddress,
  findLinkViolation,
  findResolvedLinkViolation,
  findSecretLinkViolation,
} from './net-guard.ts'

const ALLOWED = [
  'http://example.com/',
  'https://example.com/path?x=1#y',
  'https://example.com:8443/hook',
  'http://пример.рф/крючок',
  'http://8.8.8.8/',
  'http://9.255.255.255/',
  'http://11.0.0.0/',
  'http://172.15.255.255/',
  'http://172.32.0.0/',
  'http://192.167.255.255/',
  'http://192.169.0.0/',
  'http://100.63.255.255/',
  'http://100.128.0.0/',
  'http://169.253.255.255/',
  'http://169.255.0.0/',
  'http://198.17.255.255/',
  'http://198.20.0.0/',
  'http://223.255.255.255/',
  'http://128.0.0.0/',
  'http://126.255.255.255/',
  'http://[2606:4700:4700::1111]/',
  'http://[2a00:1450::1]/',
  'http://localhost.example.com/',
  'http://mylocalhost.com/',
  'http://internal.example.com/',
]

describe('network guard', () => {
  for (const [category, links] of Object.entries(FORBIDDEN_LINKS)) {
    it(`findLinkViolation() rejects ${category}`, () => {
      expect(links.filter((link) => findLinkViolation(link, false) === undefined)).to.deep.equal([])
    })
  }

  it('an invalid link gets a message about spaces, line breaks or backslashes', () => {
    for (const link of ['https://example.com/call 1.wav', ' https://example.com/', 'https://example.com/a\nb'])
      expect(String(findLinkViolation(link, false)), link).to.equal(
        'must not contain spaces or line breaks; write a space as %20',
      )
    expect(String(findLinkViolation('https://example.com\\a', false))).to.match(/must not contain backslashes/)
    expect(String(findLinkViolation('ftp://example.com/', false))).to.equal('must be an http or https URL')
  })

  it('findLinkViolation() accepts public addresses next to private ranges', () => {
    expect(ALLOWED.filter((link) => findLinkViolation(link, false) !== undefined)).to.deep.equal([])
  })

  it('findLinkViolation() rejects the public address of a cloud host service', () => {
    for (const link of ['http://168.63.129.16/', 'http://[::ffff:168.63.129.16]/', 'http://2822734096/'])
      expect(findLinkViolation(link, false), link).to.match(/must not point to a private/)
    expect(isPublicIpAddress('168.63.129.15')).to.equal(true)
  })

  it('with allowPrivate, private addresses are valid, but not credentials, other schemes and forbidden ports', () => {
    for (const link of ['http://127.0.0.1:8080/', 'http://localhost:3000/', 'http://crm/', 'http://[::1]/']) {
      expect(findLinkViolation(link, true), link).to.equal(undefined)
    }
    for (const link of ['file:///etc/passwd', 'http://user@localhost/', 'http://localhost:5432/', 'http:\\\\crm\\']) {
      expect(findLinkViolation(link, true), link).to.be.an('object')
    }
  })

  it('the message about a link does not repeat the link', () => {
    const violation = findLinkViolation('http://user:hunter2@example.com/', false)
    expect(violation!.text).to.be.a('string').and.not.include('hunter2')
  })

  it('isPublicIpAddress() returns false for invalid addresses', () => {
    for (const text of ['', 'example.com', '1.2.3', '256.1.1.1', '::g', 'fe80::1%lo', '1.2.3.4.5']) {
      expect(isPublicIpAddress(text), text).to.equal(false)
    }
  })

  describe('guarded agent', () => {
    const lookup = dns.lookup
    let canary: http.Server
    let hits = 0
    let port: number

    before(async () => {
      canary = http.createServer((_, response) => {
        hits++
        response.end()
      })
      await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
      port = (canary.address() as AddressInfo).port
    })
    after(() => void canary.close())
    afterEach(() => void (dns.lookup = lookup))

    /** Replaces DNS lookups of this process. The returned function counts them. */
    function resolveTo(addresses: (nth: number) => string[]): () => number {
      let lookups = 0
      dns.lookup = ((
        _: string,
        options: dns.LookupOptions,
        done: (error: null, found: dns.LookupAddress[]) => void,
      ) => {
        expect(options.all).to.equal(true)
        const found = addresses(lookups++).map((address) => ({ address, family: net.isIP(address) }))
        setImmediate(() => done(null, found))
      }) as unknown as typeof dns.lookup
      return () => lookups
    }

    async function tryRequest(allowPrivate = false, isSecret = false, limitMs = 10_000): Promise<unknown> {
      const agent = createGuardedAgent(allowPrivate, isSecret)
      const timer = setTimeout(() => void agent.destroy(), limitMs)
      try {
        const { body } = await request(`http://name.example.com:${port}/`, { dispatcher: agent })
        await body.dump()
        return undefined
      } catch (error) {
        return error
      } finally {
        clearTimeout(timer)
        await agent.destroy()
      }
    }

    it('a guarded agent rejects a name with any private or cloud host address', async () => {
      hits = 0
      for (const answer of [
        ['127.0.0.1'],
        ['10.0.0.1'],
        ['::1'],
        ['::ffff:127.0.0.1'],
        ['2000::1', '127.0.0.1'],
        ['127.0.0.1', '2000::1'],
        ['168.63.129.16'],
        ['2000::1', '168.63.129.16'],
      ]) {
        resolveTo(() => answer)
        expect(await findResolvedLinkViolation('http://name.example.com/', false), answer.join()).to.be.an('object')
        expect(await tryRequest(), answer.join()).to.be.instanceOf(ForbiddenAddressError)
      }
      expect(hits).to.equal(0)
    })

    it('a guarded agent connects to the address that it checked', async () => {
      hits = 0
      const lookups = resolveTo((nth) => [nth === 0 ? '127.0.0.1' : '127.0.0.2'])
      expect(await tryRequest(true)).to.equal(undefined)
      expect(lookups()).to.equal(1)
      expect(hits).to.equal(1)
    })

    it('a guarded agent sends secrets over http only to private addresses', async () => {
      hits = 0
      for (const answer of [['2000::1'], ['127.0.0.1', '2000::1']]) {
        resolveTo(() => answer)
        const refused = await tryRequest(true, true)
        expect(refused, answer.join()).to.be.instanceOf(ForbiddenAddressError)
        expect((refused as Error).message).to.equal('must use https, unless it points to a private address')
      }
      expect(hits).to.equal(0)
      resolveTo(() => ['127.0.0.1'])
      expect(await tryRequest(true, true)).to.equal(undefined)
      expect(hits).to.equal(1)
      for (const [link, isAllowed] of [
        ['http://8.8.8.8/', false],
        ['http://[2001:4860:4860::8888]/', false],
        ['http://10.0.0.1/', true],
        ['http://[fd00::1]/', true],
        ['https://8.8.8.8/', true],
      ] as const) {
        expect(findSecretLinkViolation(new URL(link)) === undefined, link).to.equal(isAllowed)
      }
    })

    it('a guarded agent is safe against 1,000 names that change their address', async () => {
      hits = 0
      let forbidden = 0
      for (let batch = 0; batch < 20; batch++) {
        // Lookups alternate between a public and a private address; every second batch begins with the private one.
        resolveTo((nth) => [nth % 2 === batch % 2 ? '2000::1' : '127.0.0.1'])
        // 2000::1 is in no network. The time until the connection fails depends on the machine.
        const errors = await Promise.all(Array.from({ length: 50 }, () => tryRequest(false, false, 100)))
        forbidden += errors.filter((error) => error instanceof ForbiddenAddressError).length
        expect(errors.every(Boolean)).to.equal(true)
      }
      expect(forbidden).to.be.within(100, 500) // a busy machine aborts some requests before the lookup
      expect(hits).to.equal(0)
    })
  })
})

import { expect } from 'chai'
import { waitUntil } from '../../test/wait.ts'
import { TtlCache } from './ttl-cache.ts'

describe('TTL cache', () => {
  const owner = {}
  let computed: number
  const compute = async () => ++computed
  beforeEach(() => (computed = 0))

  it('a cache computes a value once, also for concurrent requests', async () => {
    const cache = new TtlCache<number>({ ttlMs: 60_000, maxEntries: 10 })
    const values = await Promise.all([1, 2, 3].map(() => cache.getOrCompute(owner, 'key', compute)))
    expect([...values, await cache.getOrCompute(owner, 'key', compute)]).to.deep.equal([1, 1, 1, 1])
  })

  it('a cache computes a value again after its time to live', async () => {
    const cache = new TtlCache<number>({ ttlMs: 20, maxEntries: 10 })
    await cache.getOrCompute(owner, 'key', compute)
    await waitUntil('the value expires', async () => (await cache.getOrCompute(owner, 'key', compute)) > 1)
  })

  it('a cache separates the values of keys and owners', async () => {
    const cache = new TtlCache<number>({ ttlMs: 60_000, maxEntries: 10 })
    expect(await cache.getOrCompute(owner, 'one', compute)).to.equal(1)
    expect(await cache.getOrCompute(owner, 'other', compute)).to.equal(2)
    expect(await cache.getOrCompute({}, 'one', compute)).to.equal(3)
  })

  it('a full cache evicts the oldest value', async () => {
    const cache = new TtlCache<number>({ ttlMs: 60_000, maxEntries: 2 })
    for (const key of ['a', 'b', 'c']) await cache.getOrCompute(owner, key, compute)
    expect(await cache.getOrCompute(owner, 'b', compute)).to.equal(2)
    expect(await cache.getOrCompute(owner, 'a', compute)).to.equal(4)
  })

  it('a cache does not store a failure', async () => {
    const cache = new TtlCache<number>({ ttlMs: 60_000, maxEntries: 10 })
    const failure = await cache.getOrCompute(owner, 'key', () => Promise.reject(new Error('no'))).catch(String)
    expect(failure).to.equal('Error: no')
    expect(await cache.getOrCompute(owner, 'key', compute)).to.equal(1)
  })

  it('a cache computes a deleted value again', async () => {
    const cache = new TtlCache<number>({ ttlMs: 60_000, maxEntries: 10 })
    await cache.getOrCompute(owner, 'key', compute)
    cache.delete(owner, 'key')
    expect(await cache.getOrCompute(owner, 'key', compute)).to.equal(2)
  })
})

import { expect } from 'chai'
import type { Logger } from './lib/log.ts'
import { connectRedis, FAILS_FAST, RedisTrouble } from './redis.ts'

describe('trouble with Redis', () => {
  it('is logged with a readable reason when the client has no connection', async () => {
    const lines: { code: string; reason: string }[] = []
    const log = { warn: (line: (typeof lines)[0]) => lines.push(line), debug: () => undefined } as unknown as Logger
    const url = 'redis://127.0.0.1:1' // nothing listens there
    const trouble = new RedisTrouble(url, log)
    const redis = connectRedis(url, trouble, FAILS_FAST)
    await redis.ping().catch(trouble.met)
    redis.disconnect()
    const reasons = lines.map(({ reason }) => reason)
    expect(reasons).to.include('there is no connection to Redis')
    expect(reasons.join()).to.not.match(/writeable|enableOfflineQueue/)
  })
})

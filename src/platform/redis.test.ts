import { expect } from 'chai'
import type { Logger } from './lib/log.ts'
import { connectRedis, FAIL_FAST_REDIS_OPTIONS, RedisErrorLog } from './redis.ts'

describe('Redis errors', () => {
  it('the log has a readable reason when Redis is unreachable', async () => {
    const lines: { code: string; reason: string }[] = []
    const log = { warn: (line: (typeof lines)[0]) => lines.push(line), debug: () => undefined } as unknown as Logger
    const url = 'redis://127.0.0.1:1' // nothing listens on this port
    const trouble = new RedisErrorLog(url, log)
    const redis = connectRedis(url, trouble, FAIL_FAST_REDIS_OPTIONS)
    await redis.ping().catch(trouble.report)
    redis.disconnect()
    const reasons = lines.map(({ reason }) => reason)
    expect(reasons).to.include('there is no connection to Redis')
    expect(reasons.join()).to.not.match(/writeable|enableOfflineQueue/)
  })
})

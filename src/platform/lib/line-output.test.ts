import { fork } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { expect } from 'chai'
import { waitUntil } from '../../test/wait.ts'
import { retryOnTakenPort, findFreePort } from './free-port.ts'

describe('log output of a process', () => {
  it('a process continues even if it cannot write any log line', async function () {
    if (process.platform !== 'linux') this.skip()
    const full = openSync('/dev/full', 'w')
    await retryOnTakenPort(async () => {
      const panelPort = await findFreePort()
      const stdio = ['ignore', full, full, 'ipc'] as const
      const panel = fork(process.env['SVC_TEST_BUNDLE']!, ['dashboard', '--supervised'], {
        stdio: [...stdio],
        execArgv: [],
      })
      panel.once('message', () => panel.send({ panelPort, metricsPort: 0, host: '127.0.0.1', LOG_LEVEL: 'trace' }))
      try {
        const isHealthy = () =>
          fetch(`http://127.0.0.1:${panelPort}/healthz`).then(
            ({ ok }) => ok,
            () => false,
          )
        await waitUntil('it answers', async () => panel.exitCode !== null || (await isHealthy()))
        expect([panel.exitCode, await isHealthy()]).to.deep.equal([null, true])
      } finally {
        panel.kill('SIGKILL')
      }
    })
    closeSync(full)
  })
})

import { tmpdir } from 'node:os'
import { expect } from 'chai'
import { waitUntil } from '../../test/wait.ts'
import { ServicePartSupervisor, type ServicePart } from './part-supervisor.ts'

describe('parts of npm start', () => {
  const running = new AbortController().signal
  let started: number

  beforeEach(() => void (started = 0))

  /** Creates a part that exits the given number of times with one outcome, then keeps running. */
  function createPart(how: string, ends: number): ServicePart {
    started++
    const exited = started <= ends ? Promise.resolve(how) : new Promise<string>(() => undefined)
    const nothing = async () => undefined
    return {
      name: 'API',
      logFile: '/none',
      exited,
      stop: nothing,
      kill: nothing,
      restart: async () => createPart(how, ends),
    }
  }

  it('a part is restarted each time a full disk ends it', async () => {
    const parts = new ServicePartSupervisor(tmpdir(), running, 1)
    let crash: Error | undefined
    parts.crashed.catch((error: Error) => (crash = error))
    parts.add(createPart('ended: No space left on device', 3))
    await waitUntil('the fourth runs', () => started === 4)
    expect(crash).to.equal(undefined)
  })

  it('a part that ends for another reason is reported, not restarted', async () => {
    const parts = new ServicePartSupervisor(tmpdir(), running, 1)
    parts.add(createPart('was ended by SIGSEGV', 1))
    const crash = await parts.crashed.catch((error: Error) => error.message)
    expect([crash, started]).to.deep.equal(['API was ended by SIGSEGV. Its log, /none, is empty.', 1])
  })
})

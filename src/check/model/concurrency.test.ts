import { expect } from 'chai'
import type { Core } from '../../platform/core.ts'
import { withModelConcurrencyLimit } from './concurrency.ts'

describe('concurrency of model requests', () => {
  const core = { config: { ANALYSIS_CONCURRENCY: 2 } } as Core
  const { signal } = new AbortController()
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  it('a process runs at most ANALYSIS_CONCURRENCY model requests; an aborted waiting request takes no slot', async () => {
    const running = new Map<string, () => void>()
    const run = (name: string, until = signal) =>
      withModelConcurrencyLimit(
        core,
        until,
        () => new Promise<string>((resolve) => running.set(name, () => resolve(name))),
      )
    const [first, second] = [run('first'), run('second')]
    const limit = new AbortController()
    const third = run('third', limit.signal)
    const fourth = run('fourth')
    await turn()
    expect([...running.keys()]).to.deep.equal(['first', 'second'])
    limit.abort(new Error('too long'))
    expect(await third.catch((error: Error) => error.message)).to.equal('too long')
    running.get('first')!()
    expect(await first).to.equal('first')
    await turn()
    expect([...running.keys()]).to.deep.equal(['first', 'second', 'fourth'])
    for (const name of ['second', 'fourth']) running.get(name)!()
    expect(await Promise.all([second, fourth])).to.deep.equal(['second', 'fourth'])
    expect(await withModelConcurrencyLimit(core, limit.signal, turn).catch((error: Error) => error.message)).to.equal(
      'too long',
    )
  })

  it('a failed model request releases its slot', async () => {
    const failing = () => withModelConcurrencyLimit(core, signal, () => Promise.reject(new Error('no answer')))
    for (let n = 0; n < 3; n++) expect(await failing().catch((error: Error) => error.message)).to.equal('no answer')
    expect(await withModelConcurrencyLimit(core, signal, async () => 'done')).to.equal('done')
  })
})

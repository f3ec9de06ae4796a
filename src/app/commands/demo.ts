import { runWithInstallationConfig, withInstallationDatabase } from '../backup/installation.ts'
import { insertDemoData } from '../demo/insert.ts'
import { deleteDemoData } from '../demo/delete.ts'
import { defineCommandTool, CommandUsageError } from './command.ts'

const usage = `Usage: demo [remove] [options]

Fills an empty instance with an invented company: three departments, twelve managers, half a year of calls with their
texts and checks, deals. Rejects an instance that has calls, departments or deals. The calls have no audio.

  demo remove  removes everything that demo created, and nothing else
  --calls N    how many calls (3000)
`

const MAX_CALLS = 50_000

export const run = defineCommandTool({
  name: 'demo',
  usage,
  options: { calls: { type: 'string', default: '3000' } },
  async work({ values, positionals, print, note }) {
    if (positionals.length > 1 || (positionals[0] ?? 'remove') !== 'remove')
      throw new CommandUsageError(`unknown: ${positionals.join(' ')}`)
    const count = Number(values.calls)
    if (!Number.isInteger(count) || count < 1 || count > MAX_CALLS)
      throw new CommandUsageError(`--calls is a whole number from 1 to ${MAX_CALLS}`)
    await runWithInstallationConfig({ printStatus: note }, (config) =>
      withInstallationDatabase(config, async (db) => {
        if (positionals.length > 0) {
          const calls = await deleteDemoData(db)
          return print(calls === undefined ? 'there is no demo here\n' : `removed the demo with its ${calls} calls\n`)
        }
        const start = performance.now()
        const { deals } = await insertDemoData(db, config, count)
        const seconds = Math.round((performance.now() - start) / 1000)
        return print(`made ${count} invented calls and ${deals} deals in ${seconds} s; demo remove removes them\n`)
      }),
    )
  },
})

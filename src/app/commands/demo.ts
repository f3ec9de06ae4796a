import { parseArgs } from 'node:util'
import { Misuse, runTool, write, type Streams } from '../../recognizer/kenlm/command-line.ts'
import { onInstallation, type InstallationConfig } from '../backup/installation.ts'
import { connect } from '../../platform/db/db.ts'
import { fillDemo } from '../demo/fill.ts'
import { removeDemo } from '../demo/remove.ts'
import { printInstallation } from './backup.ts'

const USAGE = `Usage: demo [remove] [options]

Fills an empty instance with an invented company: three departments, twelve managers, half a year of calls with their
texts and checks, deals. It is refused where there are calls, departments or deals. The calls have no sound.

  demo remove  removes all of it again, and nothing else
  --calls N    how many calls (3000)
`

const OPTIONS = { help: { type: 'boolean', short: 'h' }, calls: { type: 'string', default: '3000' } } as const
const MOST_CALLS = 50_000

/** Makes or removes the demo. @returns the exit code */
export async function run(args: string[], streams: Streams = process): Promise<number> {
  return runTool('demo', USAGE, streams, async () => {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
    if (values.help) return write(streams.stdout, USAGE)
    const [word, ...more] = positionals
    if (more.length > 0 || (word !== undefined && word !== 'remove'))
      throw new Misuse(`unknown: ${positionals.join(' ')}`)
    const count = Number(values.calls)
    if (!Number.isInteger(count) || count < 1 || count > MOST_CALLS)
      throw new Misuse(`--calls is a whole number from 1 to ${MOST_CALLS}`)
    const told = await onInstallation({ tell: printInstallation(streams, 'demo') }, (config) =>
      word === 'remove' ? remove(config) : fill(config, count),
    )
    await write(streams.stdout, `${told}\n`)
  })
}

async function fill(config: InstallationConfig, count: number): Promise<string> {
  const began = performance.now()
  const db = await connect(config.DATABASE_URL, { poolSize: 6 })
  try {
    const { deals } = await fillDemo(db, config, count)
    const seconds = Math.round((performance.now() - began) / 1000)
    return `made ${count} invented calls and ${deals} deals in ${seconds} s; demo remove takes them away again`
  } finally {
    await db.destroy()
  }
}

async function remove({ DATABASE_URL }: InstallationConfig): Promise<string> {
  const db = await connect(DATABASE_URL, { poolSize: 2 })
  try {
    const calls = await removeDemo(db)
    return calls === undefined ? 'there is no demo here' : `removed the demo with its ${calls} calls`
  } finally {
    await db.destroy()
  }
}

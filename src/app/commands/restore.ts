import { parseArgs } from 'node:util'
import { Misuse, runTool, write, type Streams } from '../../recognizer/kenlm/command-line.ts'
import { INSTALLATIONS, onInstallation, type Installation } from '../backup/installation.ts'
import { restore } from '../backup/restore.ts'
import { createLog } from '../../platform/lib/log.ts'
import { parseFolder, printInstallation } from './backup.ts'

const USAGE = `Usage: restore FOLDER [--installation start|stack]

Brings a backup back into an empty database and storage, and the schema to this version. Nothing else may run on them.
Everything is checked before anything is written; a place that is not empty is refused.

  --installation start|stack   the installation to fill: npm start in this folder, or the stack. Required if DATABASE_URL is
                               set and npm start has not run here yet
`

const OPTIONS = { help: { type: 'boolean', short: 'h' }, installation: { type: 'string' } } as const

/** Restores a backup. @returns the exit code */
export async function run(args: string[], streams: Streams = process): Promise<number> {
  return runTool('restore', USAGE, streams, async () => {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
    if (values.help) return write(streams.stdout, USAGE)
    const folder = parseFolder(positionals)
    const named = installationOf(values.installation)
    const log = createLog('warn', 'migrate')
    const tell = (text: string) => void streams.stdout.write(`${text}\n`)
    const made = await onInstallation({ tell: printInstallation(streams, 'restore'), named, fills: true }, (config) =>
      restore(config, folder, log, tell),
    )
    await write(streams.stdout, `restored the backup of ${made.createdAt} (version ${made.version})\n`)
  })
}

function installationOf(name: string | undefined): Installation | undefined {
  if (name === undefined) return undefined
  const installation = INSTALLATIONS.find((one) => one === name)
  if (!installation) throw new Misuse(`--installation must be ${INSTALLATIONS.join(' or ')}`)
  return installation
}

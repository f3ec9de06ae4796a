import { runTool, write, type Streams } from '../asr/kenlm/command-line.ts'
import { onInstallation } from '../backup/installation.ts'
import { restore } from '../backup/restore.ts'
import { createLog } from '../lib/log.ts'
import { folderOf } from './backup.ts'

const USAGE = `Usage: restore FOLDER

Brings a backup back into an empty database and storage, and the schema to this version. Nothing else may run on them.
Everything is checked before anything is written; a place that is not empty is refused.
`

/** Restores a backup. @returns the exit code */
export async function run(args: string[], streams: Streams = process): Promise<number> {
  return runTool('restore', USAGE, streams, async () => {
    const folder = await folderOf(args, streams, USAGE)
    if (folder === undefined) return
    const log = createLog('warn', 'migrate')
    const tell = (text: string) => void streams.stdout.write(`${text}\n`)
    const made = await onInstallation((config) => restore(config, folder, log, tell))
    await write(streams.stdout, `restored the backup of ${made.createdAt} (version ${made.version})\n`)
  })
}

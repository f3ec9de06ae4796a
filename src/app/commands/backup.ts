import { parseArgs } from 'node:util'
import { Misuse, runTool, write, type Streams } from '../../recognizer/kenlm/command-line.ts'
import { backUp } from '../backup/backup.ts'
import { onInstallation } from '../backup/installation.ts'

const USAGE = `Usage: backup FOLDER

Writes calls, sound, people, keys and everything else of this installation into a new folder, while it runs: the tables
of one moment, and the sound of exactly the calls in them. Secrets of the environment are not in it. It needs the same
environment as the service: DATABASE_URL, if set there, and the variables of the storage.
`

const OPTIONS = { help: { type: 'boolean', short: 'h' } } as const

/** Makes a backup. @returns the exit code */
export async function run(args: string[], streams: Streams = process): Promise<number> {
  return runTool('backup', USAGE, streams, async () => {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
    if (values.help) return write(streams.stdout, USAGE)
    const folder = parseFolder(positionals)
    const made = await onInstallation({ tell: printInstallation(streams, 'backup') }, (config) =>
      backUp(config, folder, (text) => void streams.stdout.write(`${text}\n`)),
    )
    const { audioFiles, audioBytes, missingAudio, tables } = made
    await write(
      streams.stdout,
      `${tables.length} tables and ${audioFiles} audio files (${audioBytes} bytes): ${folder}\n`,
    )
    if (missingAudio.length === 0) return
    await write(
      streams.stderr,
      `${missingAudio.length} recordings had lost their audio before: missingAudio in backup.json\n`,
    )
  })
}

/** Returns a function that prints to standard error which installation a command works on. */
export const printInstallation = (streams: Streams, command: string) => (text: string) =>
  void streams.stderr.write(`${command}: ${text}\n`)

/** Returns the only argument, a folder. */
export function parseFolder([folder, ...more]: string[]): string {
  if (!folder) throw new Misuse('the folder is missing')
  if (more.length > 0) throw new Misuse(`one folder is enough: ${more[0]}`)
  return folder
}

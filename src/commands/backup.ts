import { parseArgs } from 'node:util'
import { Misuse, runTool, write, type Streams } from '../asr/kenlm/command-line.ts'
import { backUp } from '../backup/backup.ts'
import { onInstallation } from '../backup/installation.ts'

const USAGE = `Usage: backup FOLDER

Writes calls, sound, people, keys and everything else of this installation into a new folder, while it runs: the tables
of one moment, and the sound of exactly the calls in them. Secrets of the environment are not in it.
`

/** Makes a backup. @returns the exit code */
export async function run(args: string[], streams: Streams = process): Promise<number> {
  return runTool('backup', USAGE, streams, async () => {
    const folder = await folderOf(args, streams, USAGE)
    if (folder === undefined) return
    const made = await onInstallation((config) =>
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

/** The one folder that is asked for; undefined where only help was. */
export async function folderOf(args: string[], streams: Streams, usage: string): Promise<string | undefined> {
  const options = { help: { type: 'boolean', short: 'h' } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  if (values.help) {
    await write(streams.stdout, usage)
    return undefined
  }
  const [folder, ...more] = positionals
  if (!folder) throw new Misuse('the folder is missing')
  if (more.length > 0) throw new Misuse(`one folder is enough: ${more[0]}`)
  return folder
}

import { parseArgs } from 'node:util'
import { Misuse, runTool, write, type Streams } from '../../recognizer/kenlm/command-line.ts'
import { compareStorage, type Compared, type CompareOptions, type Difference } from '../backup/compare.ts'
import { onInstallation } from '../backup/installation.ts'
import { printInstallation } from './backup.ts'

const USAGE = `Usage: check [options]

Compares the calls of the database with the files of the audio storage, while the service runs, and prints what differs:
a line each, with its kind, the file, and what else is known. It changes nothing.

  no-file    a call whose sound is not there; it keeps its text
  size       a file that has another length than its call
  no-row     a file that belongs to no call; POST /v1/recordings/from-storage makes one of it
  copy       a file made of a call to be played, of which nothing is known any more; it may be deleted
  going      a file that will be removed, because no call was made of it in time
  damaged    a file that is not what the list of checksums says

  --checksums LIST   also reads every file and compares it: LIST is audio.jsonl of a backup, or one that --write made
  --write LIST       also reads every file and writes its checksum to a new file
  --keep             keeps the files that are going: they are no-row from then on

It ends with 0 where nothing differs, with 1 where something does or could not be compared.
`

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  checksums: { type: 'string' },
  write: { type: 'string' },
  keep: { type: 'boolean' },
} as const

/** Compares database and storage. @returns the exit code */
export async function run(args: string[], streams: Streams = process): Promise<number> {
  let differences = 0
  const code = await runTool('check', USAGE, streams, async () => {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
    if (values.help) return write(streams.stdout, USAGE)
    if (positionals.length > 0) throw new Misuse(`it takes no argument: ${positionals[0]}`)
    const compared = await compare(values, streams)
    differences = compared.differences
    await write(streams.stdout, summaryOf(compared))
  })
  return code === 0 && differences > 0 ? 1 : code
}

function compare({ checksums, write: list, keep }: Record<string, unknown>, streams: Streams): Promise<Compared> {
  const options = { checksums, write: list, keep } as CompareOptions
  return onInstallation({ tell: printInstallation(streams, 'check') }, (config) =>
    compareStorage(config, options, (difference) => write(streams.stdout, lineOf(difference))),
  )
}

const lineOf = ({ kind, key, recordingId, details }: Difference): string =>
  `${[kind.padEnd(8), key, recordingId && `call ${recordingId}`, details].filter(Boolean).join('  ')}\n`

const summaryOf = ({ recordings, files, summed, differences }: Compared): string =>
  `${recordings} calls and ${files} files compared${summed > 0 ? `, ${summed} of them by checksum` : ''}: ` +
  `${differences === 0 ? 'nothing differs' : `${differences} differ`}\n`

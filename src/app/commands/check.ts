import { compareDatabaseWithStorage, type StorageComparisonSummary, type StorageDifference } from '../backup/compare.ts'
import { runWithInstallationConfig } from '../backup/installation.ts'
import { defineCommandTool, CommandUsageError } from './command.ts'

const usage = `Usage: check [options]

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

export const run = defineCommandTool({
  name: 'check',
  usage,
  options: { checksums: { type: 'string' }, write: { type: 'string' }, keep: { type: 'boolean' } },
  async work({ values, positionals, print, note }) {
    if (positionals.length > 0) throw new CommandUsageError(`it takes no argument: ${positionals[0]}`)
    const summary = await runWithInstallationConfig({ printStatus: note }, (config) =>
      compareDatabaseWithStorage(config, values, (difference) => print(formatDifference(difference))),
    )
    await print(formatSummary(summary))
    return summary.differences > 0 ? 1 : 0
  },
})

const formatDifference = ({ kind, key, recordingId, details }: StorageDifference): string =>
  `${[kind.padEnd(8), key, recordingId && `call ${recordingId}`, details].filter(Boolean).join('  ')}\n`

const formatSummary = ({ recordings, files, summed, differences }: StorageComparisonSummary): string =>
  `${recordings} calls and ${files} files compared${summed > 0 ? `, ${summed} of them by checksum` : ''}: ` +
  `${differences === 0 ? 'nothing differs' : `${differences} differ`}\n`

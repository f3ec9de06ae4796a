import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { parseConfig, type Config } from '../../platform/config/config.ts'
import type { Logger } from '../../platform/lib/log.ts'
import type { RecognitionProgress, TranscriptSegment } from '../../recognizer/contract.ts'
import type { Engine } from '../../recognizer/engines/engine.ts'
import { loadEngineModule } from '../../recognizer/engines/index.ts'
import { requireMediaPrograms } from '../../recognizer/media.ts'
import { transcribeAudioFile } from '../../recognizer/transcribe.ts'
import { defineCommandTool, CommandUsageError, type CommandToolOutput } from './command.ts'

const usage = `Usage: transcribe [--models FOLDER] FILE...

Prints the text of audio files, without a server. Each line is a phrase with its begin and end: [begin–end] text. The
channels of a stereo call are left and right. Prints the progress on standard error.

  --models FOLDER  the models folder; by default /models if this folder exists, else .svc/models

Environment variables set the model (ASR_MODEL, default t-one, also beside npm start), the decoder (DECODER:
beam_search or greedy) and the hub (ASR_MODEL_HUB_URL). A missing model is downloaded; t-one has up to 7 GB.
`

const PROGRESS_STEP_PERCENT = 10

export const run = defineCommandTool({
  name: 'transcribe',
  usage,
  options: { models: { type: 'string' } },
  async work({ values, positionals, ...output }) {
    if (values.models === '') throw new CommandUsageError('--models needs the name of a folder')
    if (positionals.length === 0) throw new CommandUsageError('no file given')
    const config = parseConfig('transcribe', process.env, { modelsDir: values.models ?? findModelsFolder() })
    requireMediaPrograms()
    // A mistyped file name must fail before the model download, which has gigabytes.
    for (const file of positionals) await requireReadableFile(file)
    const engine = await loadEngine(config, createMessageLog(output.stderr, config.LOG_LEVEL))
    let failed = 0
    for (const file of positionals) {
      if (positionals.length > 1) await output.print(`==> ${file} <==\n`)
      if (!(await printTranscript(engine, file, config, output))) failed++
    }
    if (failed > 0) throw new Error(`${failed} of ${positionals.length} files could not be transcribed`)
  },
})

function findModelsFolder(): string {
  return existsSync('/models') ? '/models' : fileURLToPath(new URL('../.svc/models', import.meta.url))
}

async function requireReadableFile(file: string): Promise<void> {
  await access(file, constants.R_OK).catch((error: Error) => {
    throw new Error(`Cannot read ${file}: ${error.message}`, { cause: error })
  })
}

function createMessageLog(stream: Writable, level: string): Logger {
  return pino({ level }, { write: (line) => stream.write(`${(JSON.parse(line) as { msg: string }).msg}\n`) })
}

async function loadEngine(config: Config, log: Logger): Promise<Engine> {
  const module = await loadEngineModule(config.ASR_MODEL)
  await module.prepare(config, log)
  return module.load(config)
}

async function printTranscript(
  engine: Engine,
  file: string,
  { DECODER: decoder }: Config,
  { stderr, print, note }: CommandToolOutput,
): Promise<boolean> {
  const progress = new ProgressLine(file, stderr)
  try {
    const { transcript } = await transcribeAudioFile(
      engine,
      { file, decoder },
      (state) => progress.show(state),
      new AbortController().signal,
    )
    progress.end()
    const stereo = transcript.segments.some(({ channel }) => channel === 1)
    for (const segment of transcript.segments) await print(formatSegment(segment, stereo))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') throw error
    progress.end()
    note(`${file}: ${(error as Error).message}`)
    return false
  }
}

function formatSegment({ start, end, channel, text }: TranscriptSegment, stereo: boolean): string {
  const side = stereo ? ` ${channel === 0 ? 'left' : 'right'}:` : ''
  return `[${formatClock(start)}–${formatClock(end)}]${side} ${text}\n`
}

/** Formats seconds as 1:02.3, or as 1:01:02.3 from one hour on. */
function formatClock(seconds: number): string {
  const tenths = Math.round(seconds * 10)
  const [hours, minutes] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60]
  const secondsText = ((tenths % 600) / 10).toFixed(1).padStart(4, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${secondsText}` : `${minutes}:${secondsText}`
}

class ProgressLine {
  private readonly file: string
  private readonly stream: Writable & { isTTY?: boolean }
  private printedPercent = 0

  constructor(file: string, stream: Writable) {
    this.file = file
    this.stream = stream
  }

  show({ processedSeconds, totalSeconds }: RecognitionProgress): void {
    const percent = totalSeconds ? Math.floor((processedSeconds / totalSeconds) * 100) : 0
    if (percent < this.printedPercent + (this.stream.isTTY ? 1 : PROGRESS_STEP_PERCENT)) return
    this.printedPercent = percent
    this.stream.write(this.stream.isTTY ? `\r${this.file}: ${percent} %` : `${this.file}: ${percent} %\n`)
  }

  end(): void {
    if (this.stream.isTTY && this.printedPercent > 0) this.stream.write('\r\u001B[K')
  }
}

import type { CommandRunner } from './app/commands/command.ts'
import { ConfigError, type Config } from './platform/config/config.ts'
import { StartError } from './platform/lib/start-error.ts'

// The Linux build of ONNX Runtime sends telemetry, unless this is set before it loads.
process.env.ORT_DISABLE_TELEMETRY = '1'

const COMMANDS: Record<string, [does: string, load: () => Promise<{ run: CommandRunner }>]> = {
  start: ['run everything on this machine', () => import('./app/commands/start.ts')],
  migrate: ['migrate the database to this version, then exit', () => import('./app/commands/migrate.ts')],
  'accept-storage': [
    'mark the audio storage as the one of this database',
    () => import('./app/commands/accept-storage.ts'),
  ],
  api: ['serve /v1, run the queues and the schedule', () => import('./app/commands/api.ts')],
  dashboard: ['serve the web panel', () => import('./app/commands/dashboard.ts')],
  asr: ['serve the recognizer', () => import('./app/commands/asr.ts')],
}

type RunTool = (args: string[]) => Promise<number>

/** Tools for people at a terminal. They take arguments and explain them with --help. */
const TOOLS: Record<string, [does: string, load: () => Promise<{ run: RunTool }>]> = {
  backup: [
    'write the database and the audio into a new folder, while the service runs',
    () => import('./app/commands/backup.ts'),
  ],
  check: [
    'compare the database with the audio storage, while the service runs',
    () => import('./app/commands/check.ts'),
  ],
  restore: ['load a backup into an empty installation', () => import('./app/commands/restore.ts')],
  'reset-password': ['give a person a new password, shown once', () => import('./app/commands/reset-password.ts')],
  demo: ['fill an empty instance with an invented company', () => import('./app/commands/demo.ts')],
  describe: ['write the description of the API into a folder', () => import('./app/commands/describe.ts')],
  transcribe: ['print the text of audio files, without a server', () => import('./app/commands/transcribe.ts')],
  decode: ["decode outputs of T-one's acoustic model", () => import('./app/commands/decode.ts')],
  'lm-score': ['score sentences with a KenLM language model', () => import('./app/commands/lm-score.ts')],
}

const formatCommands = (commands: Record<string, [does: string, unknown]>) =>
  Object.entries(commands)
    .map(([name, [does]]) => `  ${name.padEnd(14)} ${does}`)
    .join('\n')

const HELP = `Usage: node dist/svc.js COMMAND

Commands:
${formatCommands(COMMANDS)}

Tools (run a tool with --help for details):
${formatCommands(TOOLS)}

Environment variables configure all commands; docs/configuration.md lists them.
`

/**
 * Receives configuration from a parent process, such as ports and folders, which environment variables cannot change.
 * @returns {} without such a parent
 */
async function receiveOverrides(): Promise<Partial<Config>> {
  if (!process.argv.includes('--supervised') || !process.connected) return {}
  return new Promise((resolve) => {
    process.once('message', (message) => resolve(message as Partial<Config>))
    process.send?.('ready for configuration')
  })
}

async function main(): Promise<number> {
  const name = process.argv[2] ?? ''
  if (['--help', '-h', 'help'].includes(name)) {
    process.stdout.write(HELP)
    return 0
  }
  if (Object.hasOwn(TOOLS, name)) return (await TOOLS[name]![1]()).run(process.argv.slice(3))
  const extraArguments = process.argv.slice(3).filter((argument) => argument !== '--supervised')
  if (!Object.hasOwn(COMMANDS, name)) return printUsageError(name ? `unknown command: ${name}` : 'no command given')
  const [does, load] = COMMANDS[name]!
  if (['--help', '-h'].includes(extraArguments[0]!)) {
    process.stdout.write(`Usage: node dist/svc.js ${name}\n\n${does}\n`)
    return 0
  }
  if (extraArguments.length > 0) return printUsageError(`${name} takes no argument: ${extraArguments[0]}`)
  const { run } = await load()
  return run(await receiveOverrides())
}

function printUsageError(problem: string): number {
  process.stderr.write(`svc: ${problem}\n\n${HELP}`)
  return 2
}

try {
  process.exitCode = await main()
} catch (error) {
  const isUserError = error instanceof ConfigError || error instanceof StartError
  process.stderr.write(`svc: ${isUserError ? error.message : (error as Error).stack}\n`)
  process.exitCode = 1
}
// Otherwise open handles of libraries keep a finished command running.
process.exit()

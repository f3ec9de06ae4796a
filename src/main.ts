import { ConfigError, type Config } from './platform/config/config.ts'
import { StartError } from './platform/lib/start-error.ts'

// The Linux build of ONNX Runtime reports its use to its maker unless this is set before it is loaded. Nothing leaves
// this server.
process.env.ORT_DISABLE_TELEMETRY = '1'

const COMMANDS: Record<string, { does: string; load: () => Promise<{ run: Run }> }> = {
  start: { does: 'run everything on this machine', load: () => import('./app/commands/start.ts') },
  migrate: {
    does: 'bring the database schema to this version, then exit',
    load: () => import('./app/commands/migrate.ts'),
  },
  'accept-storage': {
    does: 'take the audio storage as the one of this database',
    load: () => import('./app/commands/accept-storage.ts'),
  },
  api: { does: 'serve /v1 and work the queues', load: () => import('./app/commands/api.ts') },
  dashboard: { does: 'serve the web panel', load: () => import('./app/commands/dashboard.ts') },
  asr: { does: 'serve the recognizer', load: () => import('./app/commands/asr.ts') },
}

/** Tools for people: they take arguments and explain them with --help. */
const TOOLS: Record<string, { does: string; load: () => Promise<{ run: (args: string[]) => Promise<number> }> }> = {
  backup: { does: 'write everything into a folder, while it runs', load: () => import('./app/commands/backup.ts') },
  check: {
    does: 'compare the calls of the database with the audio storage, while it runs',
    load: () => import('./app/commands/check.ts'),
  },
  restore: { does: 'bring a backup into an empty database', load: () => import('./app/commands/restore.ts') },
  'reset-password': {
    does: 'give a person a new password, shown once',
    load: () => import('./app/commands/reset-password.ts'),
  },
  demo: { does: 'fill an empty instance with an invented company', load: () => import('./app/commands/demo.ts') },
  describe: {
    does: 'write the description of the API into a folder',
    load: () => import('./app/commands/describe.ts'),
  },
  transcribe: { does: 'print what is said in audio files', load: () => import('./app/commands/transcribe.ts') },
  decode: { does: "decode outputs of T-one's acoustic model", load: () => import('./app/commands/decode.ts') },
  'lm-score': { does: 'score sentences with a KenLM language model', load: () => import('./app/commands/lm-score.ts') },
}

/** A command: runs until it is done or told to stop and returns its exit code. */
export type Run = (overrides: Partial<Config>) => Promise<number>

const list = (commands: Record<string, { does: string }>) =>
  Object.entries(commands)
    .map(([name, { does }]) => `  ${name.padEnd(14)} ${does}`)
    .join('\n')

const HELP = `Usage: node dist/svc.js COMMAND

Commands:
${list(COMMANDS)}

Tools (each explains itself with --help):
${list(TOOLS)}

The configuration comes from environment variables; docs/operating.md lists them.
`

/**
 * Values that a parent process of ours gives in code (`start`, the tests): sent as the first message over the
 * channel of a forked process, so that no variable of the environment can move a port, an address or a folder.
 */
async function overridesFromParent(): Promise<Partial<Config>> {
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
  if (Object.hasOwn(TOOLS, name)) {
    const { run } = await TOOLS[name]!.load()
    return run(process.argv.slice(3))
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  const rest = process.argv.slice(3).filter((argument) => argument !== '--supervised')
  if (command && ['--help', '-h'].includes(rest[0]!)) {
    process.stdout.write(`Usage: node dist/svc.js ${name}\n\n${command.does}\n`)
    return 0
  }
  if (!command || rest.length > 0) {
    const problem = !name
      ? 'no command given'
      : command
        ? `${name} takes no argument: ${rest[0]}`
        : `unknown command: ${name}`
    process.stderr.write(`svc: ${problem}\n\n${HELP}`)
    return 2
  }
  const { run } = await command.load()
  return run(await overridesFromParent())
}

try {
  process.exitCode = await main()
} catch (error) {
  const isTheirs = error instanceof ConfigError || error instanceof StartError
  process.stderr.write(`svc: ${isTheirs ? error.message : (error as Error).stack}\n`)
  process.exitCode = 1
}
// Handles of libraries may outlive a finished command; the answer is known, so nothing waits for them.
process.exit()

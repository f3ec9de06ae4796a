import { VARIABLES } from './config.ts'
import type { ConfigVariableInfo } from './variables.ts'
import type { EnvironmentVariable } from '../lib/environment-variables.ts'

const PAGE_HEAD = `# Configuration

The service reads its configuration from environment variables. An empty value counts as an absent one. At start, each
command reports all invalid variables together, without their values.

The value of a variable marked *secret* can also come from a file. For example, \`DATABASE_URL_FILE\` names a file that has
the value of \`DATABASE_URL\`. The file takes precedence over the variable.

The column *Compose* states whether \`compose.yml\` uses the variable. To set a variable with *no* in this column, add it to
the \`environment\` section of a service in \`compose.yml\`. No variable changes a port, a listening address or a data folder.

\`npm run configuration\` writes this page from \`src/platform/config/variables.ts\`.

| variable | values | default | meaning | Compose |
| --- | --- | --- | --- | --- |
`

/** Renders docs/configuration.md with one row per variable, in the order of CONFIG_VARIABLES. */
export function formatConfigurationPage(): string {
  const rows = (Object.entries(VARIABLES) as [string, EnvironmentVariable<unknown> & ConfigVariableInfo][]).map(
    formatRow,
  )
  return PAGE_HEAD + rows.join('')
}

function formatRow([name, variable]: [string, EnvironmentVariable<unknown> & ConfigVariableInfo]): string {
  const { meaning, values, secret, stack } = variable
  const kind = secret ? `${values}; *secret*` : values
  const cells = [`\`${name}\``, kind, formatDefault(variable), meaning, stack === false ? 'no' : 'yes']
  return `| ${cells.join(' | ')} |\n`
}

function formatDefault({ neededBy, default: value }: EnvironmentVariable<unknown> & ConfigVariableInfo): string {
  if (neededBy) return `required by ${neededBy.map((command) => `\`${command}\``).join(', ')}`
  if (value === undefined || value === '') return 'unset'
  if (Array.isArray(value)) return `\`${value.join(',')}\``
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

import { join, relative } from 'node:path'
import type { FirstCredentials } from './first-credentials.ts'
import type { ShownCredentialsRecord } from './secret-store.ts'
import type { StartPlan } from './plan.ts'

/** Formats the text that `npm start` prints at the end: addresses, credentials and an example request. */
export function formatStartReport(
  plan: StartPlan,
  callerFolder: string,
  credentials: FirstCredentials | undefined,
  shown: ShownCredentialsRecord | undefined,
): string {
  const { config, project, folder } = plan
  const api = `http://${config.host}:${config.apiPort}`
  const rows: [string, string][] = [
    ['Panel', `http://${config.host}:${config.panelPort}`],
    ['API', `${api} (described at ${api}/docs)`],
    ...formatCredentials(credentials, shown),
  ]
  const key = credentials?.key ?? 'YOUR_KEY'
  const sample = callerFolder === project ? 'samples/sales-call.wav' : join(project, 'samples/sales-call.wav')
  const formField = /^[\w./-]+$/.test(sample) ? `file=@${sample}` : `'file=@${sample}'`
  return `
${rows.map(([name, value]) => `  ${name.padEnd(9)} ${value}`).join('\n')}

Transcribe the sample call:
  curl -H 'X-API-Key: ${key}' -F ${formField} ${api}/v1/recordings
and read its text a few seconds later, with the id from the answer:
  curl -H 'X-API-Key: ${key}' '${api}/v1/recordings/ID/transcript?format=txt'

Data and logs are in ${relative(callerFolder, folder) || folder}. Ctrl-C stops everything.
`
}

function formatCredentials(
  credentials: FirstCredentials | undefined,
  shown: ShownCredentialsRecord | undefined,
): [string, string][] {
  if (credentials) {
    return [
      ['Owner', credentials.email],
      ['Password', credentials.password ? `${credentials.password} (shown only this time)` : '(password as given)'],
      ['API key', `${credentials.key} (shown only this time)`],
    ]
  }
  if (shown?.owner) {
    return [
      [
        'Owner',
        `${shown.owner} (the password was ${shown.passwordGiven ? 'given' : 'shown'} at the first start, ${shown.at})`,
      ],
      ['API key', 'shown at the first start; POST /v1/api-keys makes another'],
    ]
  }
  return [
    ['Log in', 'with an account of this database'],
    ['API key', 'one of this database; POST /v1/api-keys makes another'],
  ]
}

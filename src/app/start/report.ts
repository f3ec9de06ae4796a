import { join, relative } from 'node:path'
import type { Made } from './first-access.ts'
import type { Shown } from './secret-store.ts'
import type { Plan } from './plan.ts'

export function report(plan: Plan, from: string, made: Made | undefined, shown: Shown | undefined): string {
  const { config, project, folder } = plan
  const api = `http://${config.host}:${config.apiPort}`
  const rows: [string, string][] = [
    ['Panel', `http://${config.host}:${config.panelPort}`],
    ['API', `${api} (described at ${api}/docs)`],
    ...people(made, shown),
  ]
  const key = made?.key ?? 'YOUR_KEY'
  const sample = from === project ? 'samples/call.wav' : join(project, 'samples/call.wav')
  const part = /^[\w./-]+$/.test(sample) ? `file=@${sample}` : `'file=@${sample}'`
  return `
${rows.map(([name, value]) => `  ${name.padEnd(9)} ${value}`).join('\n')}

Transcribe the sample call:
  curl -H 'X-API-Key: ${key}' -F ${part} ${api}/v1/recordings
and read its text a few seconds later, with the id from the answer:
  curl -H 'X-API-Key: ${key}' '${api}/v1/recordings/ID/transcript?format=txt'

Data and logs are in ${relative(from, folder) || folder}. Ctrl-C stops everything.
`
}

function people(made: Made | undefined, shown: Shown | undefined): [string, string][] {
  if (made) {
    return [
      ['Owner', made.email],
      ['Password', made.password ? `${made.password} (shown only this time)` : '(password as given)'],
      ['API key', `${made.key} (shown only this time)`],
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

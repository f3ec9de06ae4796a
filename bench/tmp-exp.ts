import { readFileSync } from 'node:fs'
import { startStack } from './support.ts'
import { measureExport } from './scale-measure.ts'
const stack = await startStack({ kept: '/tmp/c2/kept' }, { API_RUN_MODE: 'api', LOG_LEVEL: 'warn' })
const api = await stack.startApi()
const cpu = () => { const f = readFileSync(`/proc/${api.pid}/stat`, 'utf8').split(') ')[1]!.split(' '); return (Number(f[11]) + Number(f[12])) / 100 }
const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${api.pid}/status`, 'utf8'))![1]) / 1024
const target = { databaseUrl: stack.config.DATABASE_URL, apiUrl: stack.config.apiUrl, key: stack.key }
for (let round = 0; round < 3; round++) for (const format of ['jsonl', 'csv', 'zip']) {
  const before = cpu(); const base = rss(); let peak = 0; const t = setInterval(() => (peak = Math.max(peak, rss())), 50)
  const { bytes, seconds } = await measureExport(target, format, 50_000)
  clearInterval(t)
  console.log(format, (bytes / 1e6).toFixed(1), 'MB', seconds.toFixed(1), 's wall', (cpu() - before).toFixed(2), 's cpu', `+${(peak - base).toFixed(0)} MB`)
}
await api.stop(['SIGTERM', 30_000])
await stack.stop()
process.exit()

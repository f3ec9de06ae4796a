import { spawn } from 'node:child_process'
import http from 'node:http'
import pg from 'pg'
import { SESSION_SETTINGS } from '../src/platform/db/session-settings.ts'

export const CLIENTS = 10
const SECONDS = 1.2
const MIN_ROUNDS = 2
const MAX_ROUNDS = 200
/** Until when every psql has started: they begin at the same moment. */
const PSQL_START_MS = 400

/** The same start-up parameters as the API's connections. */
const PG_OPTIONS = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

/** What is measured. */
export interface Target {
  databaseUrl: string
  apiUrl: string
  key: string
}

export interface Times {
  median: number
  p95: number
}

export function summarize(milliseconds: number[]): Times {
  const sorted = milliseconds.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!
  return { median: at(0.5), p95: at(0.95) }
}

/** CLIENTS clients ask the addresses in turn, each one request after the other. */
export async function measureApi({ apiUrl, key }: Target, paths: string[], rounds?: number): Promise<number[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS })
  const times: number[] = []
  const end = performance.now() + SECONDS * 1000
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = 0; rounds ? n < rounds : n < MIN_ROUNDS || (n < MAX_ROUNDS && performance.now() < end); n++) {
        const startedAt = performance.now()
        await get(apiUrl + paths[(client + n) % paths.length]!, key, agent)
        times.push(performance.now() - startedAt)
      }
    }),
  )
  agent.destroy()
  return times
}

function get(url: string, key: string, agent: http.Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent, headers: { 'X-API-Key': key } }, (response) => {
      response.resume()
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`))
      response.on('end', resolve).on('error', reject)
    })
    request.on('error', reject)
  })
}

/** The statement with its values in it. */
export function literal({ text, values = [] }: { text: string; values?: unknown[] }): string {
  return text.replace(/\$(\d+)/g, (_, n) => pg.escapeLiteral(asText(values[Number(n) - 1])))
}

function asText(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? `{${value.map((one) => JSON.stringify(one)).join(',')}}` : String(value)
}

/**
 * CLIENTS processes of psql run the statements of the requests in turn, as long as the clients of the API do, so that
 * as many wait for the same cores; a time is that of one request's statements. The output is unaligned: the work of
 * drawing tables would keep psql from asking.
 */
export async function measurePsql(target: Target, requests: string[][]): Promise<number[]> {
  const few = summarize(await runPsql(target, requests, MIN_ROUNDS))
  const rounds = Math.ceil((SECONDS * 1000) / few.median)
  return runPsql(target, requests, Math.max(MIN_ROUNDS, Math.min(rounds, 3000)))
}

async function runPsql({ databaseUrl }: Target, requests: string[][], rounds: number): Promise<number[]> {
  const begin = new Date(Date.now() + PSQL_START_MS).toISOString()
  const wait = `SELECT pg_sleep(extract(epoch FROM '${begin}' - clock_timestamp()));\n\\timing on`
  const times = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      const turns = Array.from({ length: rounds }, (_, n) => requests[(client + n) % requests.length]!)
      const script = turns.map((statements) => `${statements.join(';\n')};\n`).join('')
      const output = await psql(databaseUrl, `\\o /dev/null\n${wait}\n${script}`)
      const each = [...output.matchAll(/^Time: ([\d.]+) ms/gm)].map(([, ms]) => Number(ms))
      return turns.map((statements) => each.splice(0, statements.length).reduce((sum, ms) => sum + ms, 0))
    }),
  )
  return times.flat()
}

export function psql(databaseUrl: string, script: string): Promise<string> {
  const child = spawn('psql', ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', databaseUrl], {
    env: { ...process.env, PGOPTIONS: PG_OPTIONS },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stdin.end(script)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`psql ended with ${code}`))))
  })
}

/** Bytes and seconds of psql's own copy of what a statement selects. */
export function measureCopy({ databaseUrl }: Target, statement: string): Promise<{ bytes: number; seconds: number }> {
  const startedAt = performance.now()
  const child = spawn('psql', ['-X', '-q', '-c', `\\copy (${statement.replace(/\s+/g, ' ')}) to stdout`, databaseUrl], {
    env: { ...process.env, PGOPTIONS: PG_OPTIONS },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve({ bytes, seconds: (performance.now() - startedAt) / 1000 }))
  })
}

/** One export: its bytes, seconds until the first of them, and seconds in all. */
export function measureExport(
  { apiUrl, key }: Target,
  format: string,
  limit: number,
): Promise<{ bytes: number; firstByte: number; seconds: number }> {
  const startedAt = performance.now()
  const passed = () => (performance.now() - startedAt) / 1000
  return new Promise((resolve, reject) => {
    const url = `${apiUrl}/v1/transcripts/export?format=${format}&limit=${limit}`
    const request = http.get(url, { agent: false, headers: { 'X-API-Key': key } }, (response) => {
      let bytes = 0
      let firstByte = 0
      response.on('data', (chunk: Buffer) => {
        if (bytes === 0) firstByte = passed()
        bytes += chunk.length
      })
      response.on('error', reject).on('end', () => resolve({ bytes, firstByte, seconds: passed() }))
    })
    request.on('error', reject)
  })
}

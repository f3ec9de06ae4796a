/**
 * What is heard of real telephone speech through the whole product, from the upload to the transcript: word errors of long and
 * short prompts by either decoder; when sentences are said to begin; how long cues are; how soon the first text of an hour shows.
 *
 *   npm run bench:speech -- [errors,starts,first]
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { distance, wayBetween } from './distance.ts'
import { fetchPrompts } from './prompts.ts'
import { words } from './spoken.ts'
import { logIn, median, startStack, verdict } from './support.ts'

const OWNER = { email: 'owner@example.com', password: 'a sparrow on the roof' }
const RATE = 8000
const HEADER_BYTES = 44
/** A prompt of more words is a long one. */
const SHORT = 5
/** Louder samples are speech: the prompts are studio recordings whose pauses are silent. */
const SPEECH = 300
/** Pauses between joined prompts, in seconds. */
const PAUSES = [0.3, 0.45, 0.6, 0.75, 0.9, 1]
const LONGEST_CUE_SECONDS = 7
const MOST_LETTERS = 84
const HOUR = 3600

interface Prompt {
  file: string
  said: string[]
}

interface Segment {
  start: number
  end: number
  text: string
  words: { start: number; text: string }[]
}

const { folder, texts } = fetchPrompts()
const prompts = [...texts]
  .map(([name, text]): Prompt => ({ file: join(folder, `${name}.wav`), said: words(text) }))
  .filter(({ file, said }) => existsSync(file) && said.length > 0)
const long = prompts.filter(({ said }) => said.length > SHORT)
const short = prompts.filter(({ said }) => said.length <= SHORT)
const parts = process.argv[2] ?? 'errors,starts,first'
const scratch = mkdtempSync(join(tmpdir(), 'svc-speech-'))
const stack = await startStack(
  { api: true, asr: true },
  { COOKIE_SECURE: false, BOOTSTRAP_ADMIN_EMAIL: OWNER.email, BOOTSTRAP_ADMIN_PASSWORD: OWNER.password },
)
const { apiUrl } = stack.config
const headers = { 'X-API-Key': stack.key }
if (parts.includes('errors')) await measureErrors()
if (parts.includes('starts')) await measureStarts()
if (parts.includes('first')) await measureFirstText()
await stack.stop()
rmSync(scratch, { recursive: true })
process.exit()

async function measureErrors(): Promise<void> {
  for (const [decoder, most] of [
    ['beam_search', { long: 2.8, short: 16.5 }],
    ['greedy', { long: 3, short: 16.5 }],
  ] as const) {
    for (const [size, set] of [
      ['long', long],
      ['short', short],
    ] as const) {
      const heard = await textsOf(set, decoder)
      const errors = set.reduce((sum, { said }, n) => sum + distance(said, words(heard[n]!)), 0)
      const count = set.reduce((sum, { said }) => sum + said.length, 0)
      const what = `word errors of ${set.length} ${size} prompts (${errors} of ${count} words), ${decoder}`
      verdict(what, (100 * errors) / count, { atMost: most[size] }, ' %')
    }
  }
}

/** The texts of prompts, each submitted as a call. */
async function textsOf(set: Prompt[], decoder: string): Promise<string[]> {
  const ids: string[] = []
  for (const { file } of set) ids.push(await submit(readFileSync(file), decoder))
  const heard: string[] = []
  for (const id of ids) heard.push((await segmentsOf(id)).map(({ text }) => text).join(' '))
  return heard
}

/** Joins the long prompts with pauses and compares when each begins with when its first word was heard. */
async function measureStarts(): Promise<void> {
  const said = long.flatMap((prompt) => prompt.said)
  const { sound, starts } = joined()
  const segments = await segmentsOf(await submit(sound, 'beam_search'))
  const heard = segments
    .flatMap((segment) => segment.words)
    .flatMap(({ text, start }) => words(text).map((word) => ({ word, start })))
  const way = wayBetween(said, heard.map(({ word }) => word)) // prettier-ignore
  const errors = way
    .filter(({ isSame, said: index }) => isSame && starts.has(index))
    .map((step) => Math.abs(heard[step.heard]!.start - starts.get(step.said)!))
    .toSorted((a, b) => a - b)
  console.log(`${errors.length} of ${starts.size} first words were heard right`)
  verdict('start of a sentence, median error', median(errors), { atMost: 0.25 }, ' s')
  verdict('start of a sentence, 95th percentile', errors[Math.floor(errors.length * 0.95)]!, { atMost: 1 }, ' s')
  const fits = segments.filter(
    ({ start, end, text }) => end - start <= LONGEST_CUE_SECONDS && text.length <= MOST_LETTERS,
  )
  const share = (100 * fits.length) / segments.length
  verdict(`cues of at most 7 s and 84 letters, of ${segments.length}`, share, { atLeast: 99 }, ' %')
}

/** All long prompts as one call; when each begins, by the number of its first word. */
function joined(): { sound: Buffer; starts: Map<number, number> } {
  const starts = new Map<number, number>()
  const pieces: Buffer[] = []
  let [bytes, count] = [0, 0]
  for (const [n, { file, said }] of long.entries()) {
    const sound = readFileSync(file).subarray(HEADER_BYTES)
    starts.set(count, bytes / 2 / RATE + beginningOf(sound))
    const pause = Buffer.alloc(2 * Math.round(PAUSES[n % PAUSES.length]! * RATE))
    pieces.push(sound, pause)
    bytes += sound.length + pause.length
    count += said.length
  }
  return { sound: wav(Buffer.concat(pieces)), starts }
}

/** The second in which speech begins. */
function beginningOf(sound: Buffer): number {
  for (let at = 0; at < sound.length; at += 2) if (Math.abs(sound.readInt16LE(at)) > SPEECH) return at / 2 / RATE
  return 0
}

/** The call begins to be heard when it is claimed; the panel's page of it is asked until it shows text, and then for more. */
async function measureFirstText(): Promise<void> {
  const file = join(scratch, 'hour.wav')
  const raw = ['-stream_loop', '-1', '-f', 's16le', '-ar', String(RATE), '-ac', '1', '-i', join(scratch, 'joined.raw')]
  writeFileSync(join(scratch, 'joined.raw'), joined().sound.subarray(HEADER_BYTES))
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', ...raw, '-t', String(HOUR), file])
  if (status !== 0) throw new Error(stderr.toString())
  const panel = await stack.startPanel()
  const Cookie = await logIn(apiUrl, OWNER)
  const id = await submit(readFileSync(file), 'beam_search')
  const shown = async () => {
    const page = await (await fetch(`${panel.url}/recordings/${id}`, { headers: { Cookie } })).text()
    const rows = /<ol class="lines so-far[^>]*>([\s\S]*?)<\/ol>/.exec(page)?.[1] ?? ''
    return rows.replace(/<[^>]*>/g, ' ').trim()
  }
  const seen = new Set<string>()
  for (let state = await read(id); state.status !== 'DONE' && seen.size < 3; state = await read(id)) {
    const text = await shown()
    if (text && seen.size === 0) {
      const seconds = (Date.now() - Date.parse(state.startedAt!)) / 1000
      verdict('first text of an hour on its page', seconds, { atMost: 10 }, ' s')
    }
    if (text) seen.add(text)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  verdict('texts that were seen to grow before the end', seen.size, { atLeast: 2 })
  await fetch(`${apiUrl}/v1/recordings/${id}/cancel`, { method: 'POST', headers })
  await panel.daemon.stop(['SIGTERM', 10_000])
}

function wav(samples: Buffer): Buffer {
  const header = Buffer.from(readFileSync(long[0]!.file).subarray(0, HEADER_BYTES))
  header.writeUInt32LE(samples.length + HEADER_BYTES - 8, 4)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}

async function submit(sound: Buffer, decoder: string): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(sound)]), 'call.wav')
  form.append('decoder', decoder)
  const answer = await fetch(`${apiUrl}/v1/recordings`, { method: 'POST', body: form, headers })
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { id: string }).id
}

interface Recording {
  status: string
  startedAt: string | null
  errorMessage: string | null
}

async function read(id: string): Promise<Recording> {
  return (await fetch(`${apiUrl}/v1/recordings/${id}`, { headers })).json() as Promise<Recording>
}

/** The transcript of a call, once it is done. */
async function segmentsOf(id: string): Promise<Segment[]> {
  for (let state = await read(id); state.status !== 'DONE'; state = await read(id)) {
    if (state.status === 'FAILED') throw new Error(state.errorMessage ?? 'failed')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const answer = await fetch(`${apiUrl}/v1/recordings/${id}/transcript?words=true`, { headers })
  return ((await answer.json()) as { segments: Segment[] }).segments
}

// Sends a call, waits for its text and prints it. Node 20 or newer, no packages.
//   SVC_URL=http://127.0.0.1:3001 SVC_KEY=svc_… node client.mjs call.wav
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const { SVC_URL = 'http://127.0.0.1:3001', SVC_KEY = '', SVC_RETRY_SECONDS = '1' } = process.env
const ATTEMPTS = 7
const RETRYABLE = [408, 429, 500, 502, 503, 504, 507]

/** Sends a request; retries network errors and retryable statuses with growing pauses. */
async function ask(path, init = {}) {
  for (let attempt = 1; ; attempt++) {
    const { status, location, text, problem } = await askOnce(path, init)
    if (!problem) return { status, location, text }
    if (attempt === ATTEMPTS) throw new Error(`gave up after ${ATTEMPTS} attempts: ${problem}`)
    const seconds = Number(SVC_RETRY_SECONDS) * 2 ** (attempt - 1)
    console.error(`attempt ${attempt} failed: ${problem}; next one in ${seconds} s`)
    await pause(seconds * 1000)
  }
}

async function askOnce(path, init) {
  try {
    const options = { headers: { 'X-API-Key': SVC_KEY }, signal: AbortSignal.timeout(600_000), ...init }
    const response = await fetch(SVC_URL + path, options)
    const text = await response.text() // fails if the connection breaks midway
    const { status } = response
    return { status, text, location: response.headers.get('location'), problem: RETRYABLE.includes(status) && status }
  } catch (error) {
    return { problem: error.cause?.code ?? error.cause?.message ?? error.message }
  }
}

/** The JSON of a response; stops with the message of the service if it is an error. */
function recordingOf({ status, text }) {
  if (status < 400) return JSON.parse(text)
  throw new Error(`${status}: ${messageOf(text)}`)
}

/** The error message of the service; a proxy in front of it can send HTML. */
function messageOf(text) {
  try {
    return [JSON.parse(text).message].flat().join('; ')
  } catch {
    return text.slice(0, 200)
  }
}

const file = process.argv[2]
const form = new FormData()
form.set('file', await openAsBlob(file), basename(file))
form.set('externalCallId', `example-js-${basename(file)}`) // your own id of the call; a second upload with it gets 409
form.set('phoneNumber', '+375291234567')
form.set('direction', 'INBOUND')
const sent = await ask('/v1/recordings', { method: 'POST', body: form })
// 409: an earlier attempt succeeded, and Location has the address of its recording.
let recording = recordingOf(sent.status === 409 && sent.location ? await ask(sent.location) : sent)

while (['QUEUED', 'PROCESSING'].includes(recording.status)) {
  await pause(1000) // a callback tells you without polling; see receiver.mjs
  recording = recordingOf(await ask(`/v1/recordings/${recording.id}`))
}
if (recording.status !== 'DONE') throw new Error(`${recording.status}: ${recording.errorMessage}`)
console.log(recording.transcript.text)

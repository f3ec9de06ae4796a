// Sends a call, waits for its text and prints it. Node 20 or newer, no packages.
//   SVC_URL=http://127.0.0.1:3001 SVC_KEY=svc_… node client.mjs call.wav
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const { SVC_URL = 'http://127.0.0.1:3001', SVC_KEY = '' } = process.env
const file = process.argv[2]
const headers = { 'X-API-Key': SVC_KEY }

/** Answers the JSON of an answer, or stops with what the service says is wrong. */
async function json(answer) {
  const body = await answer.json()
  if (!answer.ok) throw new Error(`${answer.status}: ${[body.message].flat().join('; ')}`)
  return body
}

const form = new FormData()
form.set('file', await openAsBlob(file), basename(file))
form.set('externalCallId', `example-js-${basename(file)}`) // your own id of the call: sent twice, it is refused with 409
form.set('phoneNumber', '+375291234567')
form.set('direction', 'INBOUND')
const sent = await fetch(`${SVC_URL}/v1/recordings`, { method: 'POST', headers, body: form })
// Already there, because an earlier try got through: its address is in Location.
const address = sent.status === 409 && sent.headers.get('location')
let recording = address ? await json(await fetch(SVC_URL + address, { headers })) : await json(sent)

while (['QUEUED', 'PROCESSING'].includes(recording.status)) {
  await pause(1000) // a callback tells the end without asking; see receiver.mjs
  recording = await json(await fetch(`${SVC_URL}/v1/recordings/${recording.id}`, { headers }))
}
if (recording.status !== 'DONE') throw new Error(`${recording.status}: ${recording.errorMessage}`)
console.log(recording.transcript.text)

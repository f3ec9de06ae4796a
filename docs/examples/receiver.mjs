// Receives callbacks and checks their signature. Node 20 or newer, no packages.
//   SECRET=the-same-as-CALLBACK_SIGNING_SECRET PORT=8080 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { SECRET = '', PORT = '8080' } = process.env
if (SECRET.length < 16) {
  console.error('Set SECRET to the value of CALLBACK_SIGNING_SECRET: anybody could sign with an empty one.')
  process.exit(1)
}
const OLDEST_SECONDS = 300
const handled = new Set() // in your service: a table with a unique index

/** Whether the body comes from the service, unchanged and now. */
function isGenuine(headers, body) {
  const timestamp = String(headers['x-svc-timestamp'])
  const signed = createHmac('sha256', SECRET).update(`${timestamp}.`).update(body).digest('hex')
  const [expected, given] = [Buffer.from(`sha256=${signed}`), Buffer.from(String(headers['x-svc-signature']))]
  const age = Math.abs(Date.now() / 1000 - Number(timestamp))
  return given.length === expected.length && timingSafeEqual(given, expected) && age < OLDEST_SECONDS
}

async function receive(request, response) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  if (!isGenuine(request.headers, body)) {
    response.writeHead(401).end()
    return
  }
  const { event, recording } = JSON.parse(body.toString())
  // If our response is lost, the same delivery comes again and must change nothing.
  const name = `${recording.id} ${event}`
  if (!handled.has(name))
    console.log(event, recording.externalCallId, recording.transcript?.text ?? recording.errorMessage)
  handled.add(name)
  response.writeHead(204).end() // respond within 15 seconds; do longer work afterwards
}

const server = createServer((request, response) => {
  receive(request, response).catch((error) => {
    console.error(`a request failed: ${error.message}`) // for example, the sender closed the connection
    if (!response.headersSent) response.writeHead(500)
    response.end()
  })
})
server.listen(Number(PORT), '127.0.0.1', () => console.log(`listening on ${server.address().port}`))

import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Config } from '../platform/config/config.ts'

/** The parts of a request to the model that tests check. */
export interface ChatRequest {
  authorization: string | undefined
  /** The body as it was sent. */
  raw: string
  body: {
    model: string
    temperature: number
    max_tokens: number
    messages: { role: string; content: string }[]
    response_format: { type: string; json_schema?: { schema: object } }
    [extra: string]: unknown
  }
  criteria: { id: string; question: string; side: string }[]
  transcript: string
}

/** The answer that a test lets the model give to one criterion. Omitted fields get default values. */
export interface CriterionAnswer {
  id: string
  verdict: string
  segment?: number
  quote?: string
  why?: string
}

type ChatResponder = (question: ChatRequest, response: http.ServerResponse) => void

/** A real HTTP server with the chat completions API, whose responses tests set. */
export class ScriptedModel {
  readonly requests: ChatRequest[] = []
  /** Responds to each request; every test sets its own. */
  responder: ChatResponder = () => undefined
  url = ''
  private readonly server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString()
      const body = JSON.parse(raw) as ChatRequest['body']
      const { criteria, transcript } = JSON.parse(body.messages[1]!.content) as ChatRequest
      const question = { authorization: request.headers.authorization, raw, body, criteria, transcript }
      this.requests.push(question)
      this.responder(question, response)
    })
  })

  /** The configuration of an API that uses this model and has no shipped rule sets. */
  get settings(): Partial<Config> {
    return {
      ANALYSIS_PROVIDER: 'llm-compatible',
      ANALYSIS_BASE_URL: this.url,
      ANALYSIS_MODEL: 'scripted',
      ANALYSIS_ALLOW_EXTERNAL_EGRESS: true,
      ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
      ANALYSIS_REQUESTS_PER_MINUTE: 600,
      ANALYSIS_SEED_RULES: false,
    }
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`
    return this
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve))
    this.server.closeAllConnections()
    await closed
  }
}

/**
 * Sends a text as a chat completion.
 * @param finish the finish reason
 */
export function sendChatCompletion(response: http.ServerResponse, content: string | null, finish = 'stop'): void {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.end(
    JSON.stringify({
      choices: [{ message: { role: 'assistant', content }, finish_reason: finish }],
      usage: { prompt_tokens: 1000, completion_tokens: 500, completion_tokens_details: { reasoning_tokens: 7 } },
    }),
  )
}

/** Sends answers in the JSON format that the prompt requests, as a chat completion. */
export function sendCriterionAnswers(response: http.ServerResponse, answers: CriterionAnswer[]): void {
  const completeAnswers = answers.map((one) => ({ segment: -1, quote: '', why: 'So it is', ...one }))
  sendChatCompletion(response, JSON.stringify({ answers: completeAnswers }))
}

/** Sends a response with an error status. */
export function sendModelError(response: http.ServerResponse, status: number, headers: object = {}, text = '{}'): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text)
}

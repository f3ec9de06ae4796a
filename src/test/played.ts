import type { TestApp } from './server.ts'

/** What is answered to Olga, as bytes. */
export async function bytesOf(app: TestApp, path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(app.url + path, { headers: { ...app.olga.headers, ...headers } })
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) }
}

import { once } from 'node:events'
import net from 'node:net'
import { expect } from 'chai'
import { createApiApp } from '../../app/api.ts'
import { openAppCore, type CoreHandle } from '../../app/core.ts'
import { API_SERVER_LIMITS, startApiServer } from '../../platform/http/app.ts'
import { createLogger } from '../../platform/lib/log.ts'
import type { RunningHttpServer } from '../../platform/lib/http-server.ts'
import { insertCalls } from '../../test/calls.ts'
import { TestClient } from '../../test/client.ts'
import { sendCriterionAnswers, ScriptedModel } from '../../test/scripted-model.ts'
import { EMPATHY_RULE, createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments, replaceTranscript } from '../../test/transcripts.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('trials with a slow model', () => {
  let app: TestApp
  let opened: CoreHandle
  /** A second server of the same API that closes a connection after two silent seconds. */
  let impatient: RunningHttpServer
  let path: string
  let call: string
  const model = new ScriptedModel()
  before(async () => {
    await model.start()
    app = await startTestApp({
      API_RUN_MODE: 'api',
      ...model.settings,
    })
    opened = await openAppCore(app.config, createLogger('silent', 'test'))
    impatient = await startApiServer(createApiApp(opened.core), '127.0.0.1', 0, { ...API_SERVER_LIMITS, silence: 2000 })
    path = `/v1/rule-sets/${await createPublishedRuleSet(app.olga, 'judged', { rules: [EMPATHY_RULE] })}/draft/try`
    ;[call] = (await insertCalls(app, [{ manager: 'Max' }])) as [string]
    await replaceTranscript(app, call, makeTurnSegments('Good day to you', 'I lost it', 'Oh, I am sorry to hear'))
  })
  after(async () => {
    await impatient.close(0)
    await opened.close()
    await app.stop()
    await model.stop()
  })

  const base = () => `http://127.0.0.1:${impatient.port}`
  const body = () => ({ recordingId: call, rules: [EMPATHY_RULE] })

  /** Resolves when the server has closed a new, silent connection. */
  async function waitForIdleClose(): Promise<void> {
    const socket = net.connect(impatient.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.resume().write('POST /x HTTP/1.1\r\nHost: a\r\n')
    await once(socket, 'close')
  }

  it('a trial waits for a model longer than the idle timeout of connections', async () => {
    model.responder = (_, response) =>
      void waitForIdleClose().then(() =>
        sendCriterionAnswers(response, [{ id: 'empathy', verdict: 'met', segment: 2, quote: 'I am sorry to hear' }]),
      )
    const { status, json } = await new TestClient(base, app.olga.headers).post(path, body())
    expect(status).to.equal(200)
    expect(json.findings[0]).to.include({ verdict: 'met', decidedBy: 'model' })
  })

  it('a trial aborts its request to the model when the client disconnects', async () => {
    let letGo = false
    const leaving = new AbortController()
    model.responder = (_, response) => {
      response.once('close', () => (letGo = true))
      leaving.abort()
    }
    const headers = { ...app.olga.headers, 'Content-Type': 'application/json' }
    const pendingResponse = fetch(base() + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body()),
      signal: leaving.signal,
    })
    expect(await pendingResponse.catch((error: Error) => error.name)).to.equal('AbortError')
    await waitUntil('the model is let go', () => letGo)
  })
})

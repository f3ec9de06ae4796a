import type { AnalysisJson } from '../check/checks/check-schema.ts'
import type { Rule } from '../check/rules/types.ts'
import { insertCalls } from './calls.ts'
import { sendCriterionAnswers, ScriptedModel, type CriterionAnswer } from './scripted-model.ts'
import { EMPATHY_RULE, MANNERS_RULES, createPublishedRuleSet } from './rule-sets.ts'
import { makeTurnSegments, replaceTranscript } from './transcripts.ts'
import { startTestApp, type TestApp } from './server.ts'
import { waitUntil } from './wait.ts'

/** The answers of a correct model about the call of MODEL_CALL_LINES. */
export const CORRECT_CRITERION_ANSWERS: CriterionAnswer[] = [
  { id: 'greeting', verdict: 'met', segment: 0, quote: 'Здравия желаю' },
  { id: 'farewell', verdict: 'missed' },
  { id: 'insults', verdict: 'met' },
  { id: 'empathy', verdict: 'met', segment: 2, quote: 'как я вас понимаю' },
]
export const MODEL_CALL_LINES = ['Здравия желаю!', 'Мой номер 80291112233, зовут Анна', 'Ох, как я вас понимаю']

const TALK_SHARE_RULE: Rule = {
  key: 'share',
  name: { en: 'Share', ru: 'Доля' },
  kind: 'talkShare',
  side: 'agent',
  min: 1,
  weight: 5,
}

/** A test app that checks calls with ScriptedModel, by MANNERS_RULES, a rule for the model and a measured rule. */
export class TestModelApp {
  readonly model = new ScriptedModel()
  app!: TestApp
  setId = ''

  async start(): Promise<void> {
    await this.model.start()
    this.app = await startTestApp({
      ...this.model.settings,
      ANALYSIS_API_KEY: 'secret of the model',
      ANALYSIS_REQUEST_TIMEOUT_SECONDS: 5,
      ANALYSIS_PRICE_INPUT_PER_MILLION: 0.3,
      ANALYSIS_PRICE_OUTPUT_PER_MILLION: 1.2,
      ANALYSIS_CONCURRENCY: 1,
    })
    this.setId = await createPublishedRuleSet(this.app.olga, 'judged', {
      rules: [...MANNERS_RULES, EMPATHY_RULE, TALK_SHARE_RULE],
    })
  }

  /** Clears the requests of the model, makes it answer correctly, and resumes paused queues. */
  async reset(): Promise<void> {
    this.model.requests.length = 0
    this.model.responder = (_, response) => sendCriterionAnswers(response, CORRECT_CRITERION_ANSWERS)
    await this.app.db.query('DELETE FROM paused_queues')
  }

  async stop(): Promise<void> {
    await this.app.stop()
    await this.model.stop()
  }

  fetchModelRequests = async (id: string) =>
    (await this.app.olga.get(`/v1/model-requests?pageSize=100&recordingId=${id}`)).json.items.toReversed()

  insertCall = async (...lines: string[]): Promise<string> => {
    const [id] = await insertCalls(this.app, [
      { phone: '+375291234567', manager: 'Max Berger', externalCallId: `ext-${Math.random()}` },
    ])
    await replaceTranscript(this.app, id!, makeTurnSegments(...lines))
    return id!
  }

  /**
   * Inserts a call with these lines, by default MODEL_CALL_LINES, and requests its check.
   * @returns the id of the recording
   */
  checkCall = async (...lines: string[]): Promise<string> => {
    const id = await this.insertCall(...(lines.length > 0 ? lines : MODEL_CALL_LINES))
    await this.app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    return id
  }

  waitForCheck = (id: string, status: string): Promise<AnalysisJson> =>
    waitUntil(`the check is ${status}`, async () => {
      const { json } = await this.app.olga.get(`/v1/recordings/${id}/analysis`)
      return json.status === status && (json as AnalysisJson)
    })
}

/** Maps the rule keys of a check to their verdicts. */
export const ruleVerdictsOf = (analysis: AnalysisJson) =>
  Object.fromEntries(analysis.findings.map(({ rule, verdict }) => [rule.key, verdict]))

import type { Core } from '../../platform/core.ts'
import type { Job } from '../../platform/queue/queue.ts'
import type { Call } from './call.ts'
import { judgeByModel, type Purpose } from '../model/judge.ts'
import { invent } from './mock.ts'
import { judge } from '../rules/judge.ts'
import type { Judgement } from '../rules/types.ts'
import { loadSettings } from './service.ts'
import type { PublishedSet } from './sets.ts'

/** What the model that judged has taken. */
export interface Usage {
  inputTokens: number
  outputTokens: number
}

/** What a provider makes of a call by one set. */
export interface Judged {
  set: PublishedSet
  judgement: Judgement
  usage?: Usage
  model?: string
}

/** Judges a call by a set as ANALYSIS_PROVIDER says. @throws NotReady, JobFailed of a model */
export async function judgeBy(core: Core, job: Job, call: Call, set: PublishedSet): Promise<Judged> {
  switch (core.config.ANALYSIS_PROVIDER) {
    case 'mock':
      return { set, judgement: invent(set.body, call.recordingId) }
    case 'llm-compatible': {
      const { id: analysisId, token, attempt, signal } = job
      const purpose: Purpose = { purpose: 'check', analysisId, token, attempt, signal }
      const { maskNames = false } = await loadSettings(core)
      const { judgement, tokens } = await judgeByModel(core, call, set.body, maskNames, purpose)
      const usage = { inputTokens: tokens.input, outputTokens: tokens.output }
      return { set, judgement, usage, model: core.config.ANALYSIS_MODEL! }
    }
    default:
      return { set, judgement: await judge(set.body, call.dialogue) }
  }
}

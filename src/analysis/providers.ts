import type { Core } from '../core.ts'
import type { Job } from '../queue/queue.ts'
import type { Call } from './call.ts'
import { invent } from './mock.ts'
import { judge } from './rules/judge.ts'
import type { Judgement } from './rules/types.ts'
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
export async function judgeBy(core: Core, _job: Job, call: Call, set: PublishedSet): Promise<Judged> {
  switch (core.config.ANALYSIS_PROVIDER) {
    case 'mock':
      return { set, judgement: invent(set.body, call.recordingId) }
    default:
      return { set, judgement: await judge(set.body, call.dialogue) }
  }
}

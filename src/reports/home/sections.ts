import type { Core } from '../../platform/core.ts'
import { personOf, type Actor } from '../../platform/http/actor.ts'
import { loadAutomationState, loadModelRequests, loadStorage } from './service-state.ts'
import { loadCoaching } from './coaching.ts'
import { listAnsweredDisputes } from './disputes.ts'
import { findLastReport, listOutOfRange, loadLastWeek } from './last-week.ts'
import { loadLowestCalls } from './lowest-calls.ts'
import { loadMyWeek } from './my-week.ts'
import { HOME_SECTIONS, type HomeJson, type HomeSection } from './schema.ts'
import { loadWaiting } from './waiting.ts'

type Loaders = { [Name in HomeSection]?: () => Promise<HomeJson[Name]> }

/** Loads the home page of a person with the sections of their role. A section that fails is null and does not affect the others. */
export async function loadHome(core: Core, actor: Actor): Promise<HomeJson> {
  const person = personOf(actor)
  const loaders = chooseLoaders(core, actor)
  const failed: HomeSection[] = []
  const sections = await Promise.all(
    HOME_SECTIONS.map(async (name) => {
      try {
        return [name, (await loaders[name]?.()) ?? null] as const
      } catch (error) {
        core.log.error({ err: error, section: name }, 'a section of the home page failed')
        failed.push(name)
        return [name, null] as const
      }
    }),
  )
  return { role: person.role, failed, ...Object.fromEntries(sections) } as HomeJson
}

function chooseLoaders(core: Core, actor: Actor): Loaders {
  const { role, rights } = personOf(actor)
  if (role === 'owner') {
    return {
      automation: () => loadAutomationState(core),
      storage: () => loadStorage(core),
      modelRequests: () => loadModelRequests(core),
    }
  }
  if (role === 'manager') {
    return {
      myWeek: () => loadMyWeek(core, actor),
      coaching: () => loadCoaching(core, actor),
      disputes: () => listAnsweredDisputes(core, actor),
    }
  }
  const reviews = { waiting: () => loadWaiting(core, actor), lowest: () => loadLowestCalls(core, actor) }
  return rights.analytics ? { ...reviews, ...createReportLoaders(core, actor) } : reviews
}

/** Both sections share one weekly report, so it is loaded only once. */
function createReportLoaders(core: Core, actor: Actor): Loaders {
  const loading = findLastReport(core, actor)
  return {
    lastWeek: async () => {
      const report = await loading
      return report && loadLastWeek(core, actor, report)
    },
    outOfRange: async () => {
      const report = await loading
      return report && listOutOfRange(report)
    },
  }
}

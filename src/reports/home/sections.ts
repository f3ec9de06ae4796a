import type { Core } from '../../platform/core.ts'
import { narrowActorToManagers, personOf, type Actor } from '../../platform/http/actor.ts'
import { listManagerIds } from '../scope.ts'
import { loadAutomationSection, loadModelRequestsSection, loadStorageSection } from './service-state.ts'
import { loadCoachingSection } from './coaching.ts'
import { loadDisputesSection } from './disputes.ts'
import { findLastWeeklyReport, listManagersOutOfRange, summarizeLastWeek } from './last-week.ts'
import { loadLostPointsSection } from './lost-points.ts'
import { loadLowestCallsSection } from './lowest-calls.ts'
import { loadMyWeekSection } from './my-week.ts'
import { HOME_SECTIONS, type HomePageJson, type HomeSectionName } from './schema.ts'
import { loadPendingReviewsSection } from './waiting.ts'

type Loaders = { [Name in HomeSectionName]?: () => Promise<HomePageJson[Name]> }

/** Loads the home page of a person with the sections of their role. A section that fails is null and does not affect the others. */
export async function loadHomePage(core: Core, actor: Actor, department?: string): Promise<HomePageJson> {
  const person = personOf(actor)
  const loaders = chooseLoaders(core, await narrowToDepartment(core, actor, department))
  const failed: HomeSectionName[] = []
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
  return { role: person.role, failed, ...Object.fromEntries(sections) } as HomePageJson
}

/** Returns the actor as if they saw only the managers of one of their departments. Only department heads have this filter. */
async function narrowToDepartment(core: Core, actor: Actor, department: string | undefined): Promise<Actor> {
  if (department === undefined || actor.kind !== 'person' || actor.person.role !== 'head') return actor
  const managers = await listManagerIds(core, actor, { department })
  return narrowActorToManagers(actor, managers?.filter((id) => id !== null) ?? [])
}

function chooseLoaders(core: Core, actor: Actor): Loaders {
  const { role, rights } = personOf(actor)
  if (role === 'owner') {
    return {
      automation: () => loadAutomationSection(core),
      storage: () => loadStorageSection(core),
      modelRequests: () => loadModelRequestsSection(core),
    }
  }
  if (role === 'manager') {
    return {
      myWeek: () => loadMyWeekSection(core, actor),
      coaching: () => loadCoachingSection(core, actor),
      lostPoints: () => loadLostPointsSection(core, actor),
      disputes: () => loadDisputesSection(core, actor),
    }
  }
  const reviews = {
    waiting: () => loadPendingReviewsSection(core, actor),
    lowest: () => loadLowestCallsSection(core, actor),
  }
  return rights.analytics ? { ...reviews, ...createReportLoaders(core, actor) } : reviews
}

/** Both sections share one weekly report, so it is loaded only once. */
function createReportLoaders(core: Core, actor: Actor): Loaders {
  const loading = findLastWeeklyReport(core, actor)
  return {
    lastWeek: async () => {
      const report = await loading
      return report && summarizeLastWeek(report)
    },
    outOfRange: async () => {
      const report = await loading
      return report && listManagersOutOfRange(report)
    },
  }
}

import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { fetchMentionablePeople } from '../comments/form.ts'
import { ignoreApiRejection } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import { isOwnerOrHead } from '../frame/page.ts'
import { buildAssignForm, buildAssignmentRow, fetchAssignments } from './view.ts'

const MAX_SHOWN = '5'

/** Fetches the assignments of a call to and by the person, and who sees the call. */
export async function fetchCallAssignments(context: PageContext) {
  const canAssign = isOwnerOrHead(context.person)
  const query = { recordingId: String(context.ctx.params.id), pageSize: MAX_SHOWN }
  const [toMe, byMe, people] = await Promise.all([
    fetchAssignments(context, 'others', query).catch(ignoreApiRejection),
    canAssign ? fetchAssignments(context, 'me', query).catch(ignoreApiRejection) : undefined,
    canAssign ? fetchMentionablePeople(context).catch(ignoreApiRejection) : undefined,
  ])
  return { toMe: toMe?.items ?? [], byMe: byMe?.items ?? [], people: people ?? [] }
}

/** Builds the assignments on the page of a call, and the form that assigns it unless the manager has not heard it yet. */
export function buildCallAssignments(
  { toMe, byMe, people }: Awaited<ReturnType<typeof fetchCallAssignments>>,
  { recording, analysis }: { recording: RecordingJson; analysis: AnalysisJson | undefined },
  next: string,
  context: PageContext,
) {
  const isWaiting = byMe.some(({ acknowledgedAt }) => acknowledgedAt === null)
  const { id, managerName } = recording
  const missed = listMissed(analysis, context)
  const managerHasLogin = people.some(({ isCallManager }) => isCallManager)
  const call = { formId: 'assign', recordingId: id, manager: managerName, managerHasLogin, missed, next }
  return {
    rows: [
      ...toMe.map((one) => buildAssignmentRow(one, 'others', context)),
      ...byMe.map((one) => buildAssignmentRow(one, 'me', context)),
    ],
    form: isWaiting ? null : buildAssignForm(call, context),
  }
}

const listMissed = (analysis: AnalysisJson | undefined, { language: { code } }: PageContext) =>
  (analysis?.findings ?? [])
    .filter(({ verdict }) => verdict === 'missed')
    .toSorted((a, b) => Number(b.rule.critical) - Number(a.rule.critical) || b.rule.weight - a.rule.weight)
    .map(({ rule, evidence }) => ({ key: rule.key, name: rule.name[code], at: evidence[0]?.start ?? null }))

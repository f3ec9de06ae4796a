import type { Core } from '../../platform/core.ts'
import { callPortalMethod, type PortalAccess } from './client.ts'
import { extractPortalPageRows, PORTAL_PAGE_SIZE } from './rows.ts'
import { parsePortalId, parsePortalText } from './values.ts'

/** Longer comments, in characters, cannot be ours. */
const MAX_COMMENT_LENGTH = 65_535
const MAX_SEARCHED_COMMENTS = 200

const dealEntityOf = (dealId: string) => ({ ENTITY_ID: dealId, ENTITY_TYPE: 'deal' })

/**
 * Finds the newest comment of a deal whose text matches, among the last 200; undefined if there is none.
 * @throws PortalError
 */
export async function fetchMatchingDealComment(
  core: Core,
  access: PortalAccess,
  dealId: string,
  matches: (text: string) => boolean,
) {
  const method = 'crm.timeline.comment.list'
  for (let start = 0; start < MAX_SEARCHED_COMMENTS; start += PORTAL_PAGE_SIZE) {
    const params = { filter: dealEntityOf(dealId), select: ['ID', 'COMMENT'], order: { ID: 'DESC' }, start }
    const rows = extractPortalPageRows(method, (await callPortalMethod(core, access, method, params)).result)
    for (const { ID, COMMENT } of rows) {
      const [id, text] = [parsePortalId(ID), parsePortalText(COMMENT, MAX_COMMENT_LENGTH)]
      if (id !== null && text !== null && matches(text)) return { id, text }
    }
    if (rows.length < PORTAL_PAGE_SIZE) return undefined
  }
  return undefined
}

/** Adds a comment to a deal. @returns the id of the comment; null if the portal did not return it */
export async function addDealComment(
  core: Core,
  access: PortalAccess,
  dealId: string,
  text: string,
): Promise<string | null> {
  const fields = { ...dealEntityOf(dealId), COMMENT: text }
  return parsePortalId((await callPortalMethod(core, access, 'crm.timeline.comment.add', { fields })).result)
}

/** Replaces the text of a comment. @throws PortalError, CrmAutomationOffError */
export async function updateDealComment(core: Core, access: PortalAccess, id: string, text: string): Promise<void> {
  await callPortalMethod(core, access, 'crm.timeline.comment.update', { id, fields: { COMMENT: text } })
}

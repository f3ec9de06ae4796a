import type { Core } from '../../platform/core.ts'
import { callPortal, type Asking } from './client.ts'
import { rowsOfPage, PAGE } from './rows.ts'
import { idOf, textOf } from './values.ts'

/** Longest comment that can be ours, in characters. */
const LONGEST_COMMENT = 65_535
/** How many of a deal's newest comments are searched. */
const MOST_SEARCHED = 200

const onDeal = (dealId: string) => ({ ENTITY_ID: dealId, ENTITY_TYPE: 'deal' })

/** Finds a comment of a deal by its text; the newest first. @throws PortalError */
export async function findComment(core: Core, asking: Asking, dealId: string, matches: (text: string) => boolean) {
  const method = 'crm.timeline.comment.list'
  for (let start = 0; start < MOST_SEARCHED; start += PAGE) {
    const params = { filter: onDeal(dealId), select: ['ID', 'COMMENT'], order: { ID: 'DESC' }, start }
    const rows = rowsOfPage(method, (await callPortal(core, asking, method, params)).result)
    for (const { ID, COMMENT } of rows) {
      const [id, text] = [idOf(ID), textOf(COMMENT, LONGEST_COMMENT)]
      if (id !== null && text !== null && matches(text)) return { id, text }
    }
    if (rows.length < PAGE) return undefined
  }
  return undefined
}

/** Adds a comment to a deal. @returns its id; null if the portal did not return it */
export async function addComment(core: Core, asking: Asking, dealId: string, text: string): Promise<string | null> {
  const fields = { ...onDeal(dealId), COMMENT: text }
  return idOf((await callPortal(core, asking, 'crm.timeline.comment.add', { fields })).result)
}

export async function updateComment(core: Core, asking: Asking, id: string, text: string): Promise<void> {
  await callPortal(core, asking, 'crm.timeline.comment.update', { id, fields: { COMMENT: text } })
}

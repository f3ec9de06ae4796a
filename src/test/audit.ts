import type { TestApp } from './server.ts'

/** An entry of the audit log, as the owner reads it. */
export interface AuditEntry {
  id: string
  at: string
  person: { id: string; name: string; email: string } | null
  key: { id: string; name: string } | null
  action: string
  object: { type: string; id: string; name: string | null } | null
  details: Record<string, any> | null // oxlint-disable-line typescript/no-explicit-any
  address: string | null
  requestId: string | null
}

/** Reads the audit log, newest first, without the reads of the log itself. */
export async function fetchAudit({ olga }: Pick<TestApp, 'olga'>, filters = ''): Promise<AuditEntry[]> {
  const { items } = (await olga.get(`/v1/audit?pageSize=100&${filters}`)).json as { items: AuditEntry[] }
  return items.filter(({ action }) => action !== 'audit.list')
}

/** The new entries of the log after some work, oldest first. */
export async function fetchAuditDuring(
  app: Pick<TestApp, 'olga'>,
  work: () => Promise<unknown>,
  filters = '',
): Promise<AuditEntry[]> {
  const before = new Set((await fetchAudit(app, filters)).map(({ id }) => id))
  await work()
  return (await fetchAudit(app, filters)).filter(({ id }) => !before.has(id)).toReversed()
}

/** The actions of audit entries. */
export const actionsOf = (entries: AuditEntry[]): string[] => entries.map(({ action }) => action)

import type { TestApp } from './server.ts'

/** An item of GET /v1/audit. The fields of `details` depend on the action. */
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

/** Fetches the 100 newest audit entries as Olga, newest first, without entries about reading the audit log. */
export async function fetchAuditLog({ olga }: Pick<TestApp, 'olga'>, filters = ''): Promise<AuditEntry[]> {
  const { items } = (await olga.get(`/v1/audit?pageSize=100&${filters}`)).json as { items: AuditEntry[] }
  return items.filter(({ action }) => action !== 'audit.list')
}

/** Runs `work` and fetches the audit entries that it caused, oldest first. */
export async function fetchNewAuditEntries(
  app: Pick<TestApp, 'olga'>,
  work: () => Promise<unknown>,
  filters = '',
): Promise<AuditEntry[]> {
  const before = new Set((await fetchAuditLog(app, filters)).map(({ id }) => id))
  await work()
  return (await fetchAuditLog(app, filters)).filter(({ id }) => !before.has(id)).toReversed()
}

/** Returns the actions of audit entries in their order. */
export const auditActionsOf = (entries: AuditEntry[]): string[] => entries.map(({ action }) => action)

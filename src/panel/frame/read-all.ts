import type { DepartmentJson } from '../../people/departments/schema.ts'
import type { Api } from './api-client.ts'
import type { PageContext } from './context.ts'

/** Reads every item of a paged list of the API, such as departments for a form that offers all of them. */
export async function readAll<T>(api: Api, path: string): Promise<T[]> {
  const items: T[] = []
  for (let page = 1; page <= 50; page++) {
    const found = await api.read<{ items: T[]; total: number }>(`${path}?page=${page}&pageSize=100`)
    items.push(...found.items)
    if (items.length >= found.total || found.items.length === 0) break
  }
  return items
}

/** The departments that the person sees. */
export const departmentsOf = ({ api }: PageContext): Promise<DepartmentJson[]> =>
  readAll<DepartmentJson>(api, '/v1/departments')

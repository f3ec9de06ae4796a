import type { DepartmentJson } from '../../people/departments/schema.ts'
import type { RequestApi } from './api-client.ts'
import type { PageContext } from './context.ts'

/** Fetches all items of a paged list of the API, at most 50 pages of 100. @param path without a query */
export async function fetchAllItems<T>(api: RequestApi, path: string): Promise<T[]> {
  const items: T[] = []
  for (let page = 1; page <= 50; page++) {
    const response = await api.fetch<{ items: T[]; total: number }>(`${path}?page=${page}&pageSize=100`)
    items.push(...response.items)
    if (items.length >= response.total || response.items.length === 0) break
  }
  return items
}

/** Fetches the departments that the person can see. */
export const fetchVisibleDepartments = ({ api }: PageContext): Promise<DepartmentJson[]> =>
  fetchAllItems<DepartmentJson>(api, '/v1/departments')

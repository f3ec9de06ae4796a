import type { Api } from './api-client.ts'

/** Every item of a list of the API that has no end of pages: departments, for a form that offers all of them. */
export async function readAll<T>(api: Api, path: string): Promise<T[]> {
  const items: T[] = []
  for (let page = 1; page <= 50; page++) {
    const found = await api.read<{ items: T[]; total: number }>(`${path}?page=${page}&pageSize=100`)
    items.push(...found.items)
    if (items.length >= found.total || found.items.length === 0) break
  }
  return items
}

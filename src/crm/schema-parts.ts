export const owner = { tag: 'CRM', access: 'owner' } as const

export interface Page<T> {
  items: T[]
  total: number
  page: number
  pageSize: number
}

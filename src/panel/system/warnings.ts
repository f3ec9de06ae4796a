import type { PageContext } from '../frame/context.ts'
import { isOwner, type Banner } from '../frame/page.ts'

/** Warnings as the API tells them. */
export interface Warnings {
  warnings: string[]
  warningIds: string[]
}

/** Separates what an operator should mend from what people only have to know. */
export const warningsView = (system: Warnings): { warnings: string[]; notes: string[] } => ({
  warnings: system.warnings.filter((_text, n) => !isDemo(system, n)),
  notes: system.warnings.filter((_text, n) => isDemo(system, n)),
})

const isDemo = ({ warningIds }: Warnings, n: number): boolean => warningIds[n] === 'system.demo'

/** Calls wait while the storage is not theirs: whoever can mend it reads so wherever they are. */
export async function storageBanners({ api, language, person }: PageContext): Promise<Banner[]> {
  if (!isOwner(person)) return []
  const told = await api.read<Warnings>('/v1/system/storage')
  const link = language.words.system.toSystem
  return told.warnings.map((text, n) => ({ text, href: '/system', link, isCalm: isDemo(told, n) }))
}

import type { PageContext, Person } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'
import { isOwner, type Banner } from '../frame/page.ts'

/** A warning of the API in the person's language; one that is not known here stays as the API says it. */
export function warningText(warning: string, { words }: Language): string {
  const known = Object.entries(words.system.warningTexts).find(([begins]) => warning.startsWith(begins))
  return known?.[1] ?? warning
}

/** Calls wait while the storage is not theirs: whoever can mend it reads so wherever they are. */
export async function storageBanners({ api, language }: PageContext, person: Person): Promise<Banner[]> {
  if (!isOwner(person)) return []
  const { warnings } = await api.read<{ warnings: string[] }>('/v1/system/storage')
  const link = language.words.system.toSystem
  return warnings.map((warning) => ({ text: warningText(warning, language), href: '/system', link }))
}

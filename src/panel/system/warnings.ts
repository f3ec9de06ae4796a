import { decodeMessages } from '../../platform/lib/message-header.ts'
import type { PageContext, Person } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'
import { sayMessage } from '../frame/messages.ts'
import { isOwner, type Banner } from '../frame/page.ts'

/** Warnings as the API tells them. */
export interface Warnings {
  warnings: string[]
  warningIds: string[]
}

/** They in the person's language. */
const warningTexts = ({ warnings, warningIds }: Warnings, language: Language): string[] =>
  warnings.map((text, n) => sayMessage({ text, known: decodeMessages(warningIds[n] ?? '')[0] }, language))

/** They apart: what is to be mended, and what is only to be known. */
export function warningsView(told: Warnings, language: Language): { warnings: string[]; notes: string[] } {
  const texts = warningTexts(told, language)
  return {
    warnings: texts.filter((_text, n) => !isDemo(told, n)),
    notes: texts.filter((_text, n) => isDemo(told, n)),
  }
}

const isDemo = ({ warningIds }: Warnings, n: number): boolean =>
  decodeMessages(warningIds[n] ?? '')[0]?.id === 'system.demo'

/** Calls wait while the storage is not theirs: whoever can mend it reads so wherever they are. */
export async function storageBanners({ api, language }: PageContext, person: Person): Promise<Banner[]> {
  if (!isOwner(person)) return []
  const told = await api.read<Warnings>('/v1/system/storage')
  const link = language.words.system.toSystem
  return warningTexts(told, language).map((text, n) => ({ text, href: '/system', link, isCalm: isDemo(told, n) }))
}

import type { Language } from './i18n.ts'

/** A warning of the API in the person's language; one that is not known here stays as the API says it. */
export function warningText(warning: string, { words }: Language): string {
  const known = Object.entries(words.system.warningTexts).find(([begins]) => warning.startsWith(begins))
  return known?.[1] ?? warning
}

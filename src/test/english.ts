import { templates } from '../platform/lib/messages.ts'

/** Says every message of the API in other English, and takes it back: whatever reads prose does not know it again. */
export function changeEnglish(): () => void {
  const before = new Map(templates)
  for (const [id, template] of before) {
    const values = [...template.matchAll(/\{\w+\}/g)].map(([value]) => value)
    templates.set(id, `zyx ${values.toReversed().join(' qwv ')} jkh`)
  }
  return () => before.forEach((template, id) => templates.set(id, template))
}

/** Does something while every message of the API is said in other English. */
export async function inOtherEnglish<T>(work: () => Promise<T>): Promise<T> {
  const sayAsBefore = changeEnglish()
  try {
    return await work()
  } finally {
    sayAsBefore()
  }
}

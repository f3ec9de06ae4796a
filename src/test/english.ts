import { templates } from '../lib/messages.ts'

/** Says every message of the API in other English, and takes it back: whatever reads prose does not know it again. */
export function changeEnglish(): () => void {
  const before = new Map(templates)
  for (const [id, template] of before) {
    const values = [...template.matchAll(/\{\w+\}/g)].map(([value]) => value)
    templates.set(id, `zyx ${values.toReversed().join(' qwv ')} jkh`)
  }
  return () => before.forEach((template, id) => templates.set(id, template))
}

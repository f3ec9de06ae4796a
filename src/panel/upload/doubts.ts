import type { Language } from '../frame/i18n.ts'
import { isKnown } from '../frame/managers.ts'
import { isPhone } from './names.ts'

/**
 * What the API takes of a call and may be meant otherwise all the same.
 * @param managers the known ones; null where they could not be read
 */
export function doubtsOf(
  { managerName, phoneNumber }: Record<string, string>,
  managers: string[] | null,
  { words }: Language,
): string[] {
  const { doubts } = words.upload
  return [
    managerName && managers && !isKnown(managerName, managers) ? doubts.manager(managerName) : [],
    phoneNumber && !isPhone(phoneNumber) ? doubts.phone(phoneNumber) : [],
  ].flat()
}

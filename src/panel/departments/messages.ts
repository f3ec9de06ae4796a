import { rosterSayings } from '../people/messages.ts'
import { inRussian, type Sayings } from '../frame/words/sayings.ts'
import { departments } from './words.ts'

/** What the API says of departments. */
export const departmentSayings: Sayings = {
  ...rosterSayings,
  'departments.noDepartment': inRussian('Такого отдела нет.'),
  'departments.nameTaken': departments.errors.nameTaken,
  'departments.occupied': departments.errors.occupied,
}

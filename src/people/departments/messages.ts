import { defineMessages } from '../../platform/lib/messages.ts'

/** Errors of changes of departments and their rosters. */
export const departmentMessages = defineMessages('departments', {
  noDepartment: { en: 'There is no such department', ru: 'Такого отдела нет.' },
  nameTaken: { en: 'A department with this name is already there', ru: 'Отдел с таким названием уже есть.' },
  occupied: {
    en: 'People belong to this department: move or release them first',
    ru: 'В нём есть люди: сначала переведите их.',
  },
  elsewhere: { en: 'The name belongs to another department', ru: 'Это имя — из другого отдела.' },
  inRoster: {
    en: '{name} stands in the roster of the department {department}',
    ru: '{name} есть в списке отдела {department}.',
  },
  namesakeStays: {
    en: 'Another manager called {name} belongs to the department that they would leave',
    ru: 'В прежнем отделе остаётся тёзка: сначала дайте одному из них другое имя.',
  },
})

import { defineMessages } from '../../platform/lib/messages.ts'

/** Defines the errors of changes to departments and their rosters. */
export const departmentMessages = defineMessages('departments', {
  noDepartment: { en: 'Department not found', ru: 'Отдел не найден.' },
  nameTaken: { en: 'A department with this name already exists', ru: 'Отдел с таким названием уже есть.' },
  occupied: {
    en: 'The department has people. Move them to another department first',
    ru: 'В отделе есть сотрудники. Сначала переведите их в другой отдел.',
  },
  elsewhere: { en: 'The name belongs to another department', ru: 'Это имя из другого отдела.' },
  inRoster: {
    en: '{name} is in the roster of {department}',
    ru: '{name} есть в списке отдела {department}.',
  },
  namesakeStays: {
    en: 'The previous department has another manager named {name}. Rename one of them first',
    ru: 'В прежнем отделе есть другой менеджер с именем {name}. Сначала измените одно из имён.',
  },
})

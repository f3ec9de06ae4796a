import { defineMessages } from '../../platform/lib/messages.ts'

export const assignmentMessages = defineMessages('assignments', {
  noAssignment: { en: 'Assignment not found', ru: 'Назначение не найдено.' },
  noManager: {
    en: 'The manager of this call has no login. Add the person under People, or change the manager of the call',
    ru: 'Менеджер этого звонка не может войти в систему. Добавьте его в разделе «Сотрудники» или смените менеджера звонка.',
  },
  noRule: { en: 'must be a rule of the call’s check', ru: 'Такого правила в проверке звонка нет.' },
  ownCall: { en: 'This is your own call', ru: 'Это ваш звонок.' },
  waiting: {
    en: 'You have already assigned this call, and the manager has not heard it yet',
    ru: 'Вы уже назначили этот звонок, менеджер его ещё не прослушал.',
  },
  tooMany: {
    en: 'The manager already has {limit} calls to hear',
    ru: 'У менеджера уже {limit} звонков на прослушивание.',
  },
})

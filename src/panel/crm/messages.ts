import { inRussian, saying, type Sayings } from '../frame/words/sayings.ts'
import { crm } from './words.ts'

/** What the API says of the automation. */
export const crmSayings: Sayings = {
  'crm.checkFirst': inRussian('Сначала проверьте подключение: последняя проверка не прошла.'),
  'crm.confirmFirst': inRussian('Сначала подтвердите подключение.'),
  'crm.blocked': inRussian('Автоматика заблокирована: она продолжит работу после успешной проверки.'),
  'crm.otherPortal': saying(crm.faults.otherPortal, 'host'),
  'crm.notOn': inRussian('На паузу можно поставить только включённую автоматику.'),
  'crm.notPaused': inRussian('Продолжить можно только автоматику на паузе.'),
  'crm.noStep': inRussian('Такого шага нет.'),
  'crm.waitsForStep': saying(crm.faults.waitsForStep, 'step'),
  'crm.waitsForAutomation': inRussian('Автоматика не включена.'),
  'crm.waitsForRoster': inRussian('Нужен список менеджеров: без него звонки не загружаются.'),
  'crm.waitsForFunnels': inRussian('Нужны воронки отделов: сделки читаются только из них.'),
  'crm.readFirst': inRussian('Люди CRM ещё не прочитаны.'),
  'crm.twice': saying(crm.faults.twice, 'user'),
  'crm.noUser': saying(crm.faults.noUser, 'user'),
  'crm.noDepartment': inRussian('Такого отдела нет.'),
}

import { both } from '../frame/words/translation.ts'
import { formEn, formRu, counted } from '../frame/words/grammar.ts'

/** What an owner does besides connecting the CRM, on the same list. */
export const password = {
  title: both('Take the first password away', 'Уберите первый пароль'),
  done: both(
    'The password of the first owner does not stand in the environment.',
    'Пароля первого владельца в окружении нет.',
  ),
  look: both(
    'BOOTSTRAP_ADMIN_PASSWORD is still set: remove it from the environment and deploy again.',
    'BOOTSTRAP_ADMIN_PASSWORD ещё задан: уберите его из окружения и перезапустите сервис.',
  ),
  button: both('System', 'Система'),
}

export const people = {
  title: both('Add heads and managers', 'Добавьте руководителей и менеджеров'),
  done: both(
    (n: number, shown: string) => `${shown} ${formEn(n, 'person', 'people')} may log in.`,
    (n, shown) =>
      `${formRu(n, 'Входить может', 'Входить могут', 'Входить могут')} ${shown} ${formRu(n, 'человек', 'человека', 'человек')}.`,
  ),
  open: both('Nobody but you may log in yet.', 'Пока войти можете только вы.'),
  button: both('People', 'Люди'),
}

export const keys = {
  title: both('Make keys for integrations', 'Создайте ключи для интеграций'),
  done: both(
    (n: number, shown: string) => `${shown} ${formEn(n, 'key is', 'keys are')} in force.`,
    (n, shown) =>
      `${formRu(n, 'Действует', 'Действуют', 'Действуют')} ${shown} ${formRu(n, 'ключ', 'ключа', 'ключей')}.`,
  ),
  open: both(
    'Only where another system submits or reads calls: one key each.',
    'Только если звонки присылает или читает другая система: каждой свой ключ.',
  ),
  button: both('API keys', 'Ключи API'),
}

export const review = {
  title: both('Review the rules of the call check', 'Просмотрите правила проверки звонков'),
  on: counted('{} rule {set is|sets are} published.', 'Опубликовано наборов правил: {}.'),
  none: both(
    'No rule set is published: no call is checked.',
    'Ни один набор правил не опубликован: звонки не проверяются.',
  ),
  off: both('The check is switched off by ANALYSIS_PROVIDER.', 'Проверка выключена переменной ANALYSIS_PROVIDER.'),
  button: both('Rules', 'Правила'),
}

export const automatic = {
  title: both('Switch on automatic checking', 'Включите автоматическую проверку'),
  done: both(
    'Each call is checked when its transcript is ready.',
    'Каждый звонок проверяется, как только готов его текст.',
  ),
  open: both(
    'Off: new calls are not checked. Enabling the automation also switches it on.',
    'Выключена: новые звонки не проверяются. Включится и при включении автоматики.',
  ),
  button: both('Switch on', 'Включить'),
}

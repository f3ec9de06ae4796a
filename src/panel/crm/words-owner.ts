import { text } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'

/** The owner's settings besides the CRM, on the same list. */
export const passwordWords = {
  title: text('Take the first password away', 'Уберите первый пароль'),
  done: text(
    'The password of the first owner does not stand in the environment.',
    'Пароля первого владельца в окружении нет.',
  ),
  look: text(
    'BOOTSTRAP_ADMIN_PASSWORD is still set: remove it from the environment and deploy again.',
    'BOOTSTRAP_ADMIN_PASSWORD ещё задан: уберите его из окружения и перезапустите сервис.',
  ),
  button: text('System', 'Система'),
}

export const peopleWords = {
  title: text('Add heads and managers', 'Добавьте руководителей и менеджеров'),
  done: pluralTemplate(
    '{} {person|people} may log in.',
    '{Входить может|Входить могут|Входить могут} {} {человек|человека|человек}.',
  ),
  open: text('Nobody but you may log in yet.', 'Пока войти можете только вы.'),
  button: text('People', 'Люди'),
}

export const keyWords = {
  title: text('Make keys for integrations', 'Создайте ключи для интеграций'),
  done: pluralTemplate('{} {key is|keys are} in force.', '{Действует|Действуют|Действуют} {} {ключ|ключа|ключей}.'),
  open: text(
    'Only where another system submits or reads calls: one key each.',
    'Только если звонки присылает или читает другая система: каждой свой ключ.',
  ),
  button: text('API keys', 'Ключи API'),
}

export const callWords = {
  title: text('Check a first call', 'Проверьте первый звонок'),
  done: pluralTemplate('{} {call is|calls are} checked.', 'Проверено звонков: {}.'),
  open: text(
    'Upload a recording. It gets a transcript and a score.',
    'Загрузите запись: у неё появятся текст и оценка.',
  ),
  button: text('Upload', 'Загрузить'),
}

export const reviewWords = {
  title: text('Review the rules of the call check', 'Просмотрите правила проверки звонков'),
  on: pluralTemplate('{} rule {set is|sets are} published.', 'Опубликовано наборов правил: {}.'),
  none: text(
    'No rule set is published: no call is checked.',
    'Ни один набор правил не опубликован: звонки не проверяются.',
  ),
  off: text('The check is switched off by ANALYSIS_PROVIDER.', 'Проверка выключена переменной ANALYSIS_PROVIDER.'),
  button: text('Rules', 'Правила'),
}

export const automaticWords = {
  title: text('Switch on automatic checking', 'Включите автоматическую проверку'),
  done: text(
    'Each call is checked when its transcript is ready.',
    'Каждый звонок проверяется, как только готов его текст.',
  ),
  open: text(
    'Off: new calls are not checked. Enabling the automation also switches it on.',
    'Выключена: новые звонки не проверяются. Включится и при включении автоматики.',
  ),
  button: text('Switch on', 'Включить'),
}

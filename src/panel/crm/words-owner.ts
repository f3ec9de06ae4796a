import { text } from '../frame/words/translation.ts'
import { pluralTemplate } from '../frame/words/grammar.ts'

export const initialPasswordStepWords = {
  title: text('Remove the initial password', 'Удалите начальный пароль'),
  done: text('The initial password is no longer in the environment.', 'Начального пароля в окружении нет.'),
  look: text(
    'Remove BOOTSTRAP_ADMIN_PASSWORD from the environment and restart the service.',
    'Удалите переменную окружения BOOTSTRAP_ADMIN_PASSWORD и перезапустите сервис.',
  ),
  button: text('System', 'Система'),
}

export const peopleStepWords = {
  title: text('Add department heads and managers', 'Добавьте руководителей и менеджеров'),
  done: pluralTemplate(
    '{} {person|people} can log in.',
    '{Войти может|Войти могут|Войти могут} {} {сотрудник|сотрудника|сотрудников}.',
  ),
  open: text('Only you can log in so far.', 'Пока войти можете только вы.'),
  button: text('People', 'Сотрудники'),
}

export const apiKeyStepWords = {
  title: text('Create keys for integrations', 'Создайте ключи для интеграций'),
  done: pluralTemplate('{} active {key|keys}.', '{} {действующий ключ|действующих ключа|действующих ключей}.'),
  open: text(
    'Needed only if another system submits or reads calls. Create one key per system.',
    'Нужны, только если звонки передаёт или читает другая система. Создайте для каждой системы свой ключ.',
  ),
  button: text('API keys', 'Ключи API'),
}

export const firstCallStepWords = {
  title: text('Upload your first call', 'Загрузите первый звонок'),
  done: pluralTemplate('{} {call|calls} transcribed.', 'Распознано звонков: {}.'),
  scored: pluralTemplate('{} {call has|calls have} a score.', 'Оценено звонков: {}.'),
  open: text(
    'Upload a recording. It gets a transcript and a score. If it has no score, its page shows the reason.',
    'Загрузите запись: появятся расшифровка и оценка. Если оценки нет, причина указана на странице звонка.',
  ),
  openUnchecked: text(
    'Upload a recording. It gets a transcript, and a score if automatic checks are on.',
    'Загрузите запись. Для неё появится расшифровка, а если включена автоматическая проверка — и оценка.',
  ),
  button: text('Upload', 'Загрузить'),
}

export const ruleReviewStepWords = {
  title: text('Review the call check rules', 'Проверьте правила проверки звонков'),
  on: pluralTemplate(
    '{} rule {set|sets} published.',
    '{Опубликован|Опубликованы|Опубликовано} {} {набор|набора|наборов} правил.',
  ),
  none: text(
    'No rule set is published, so calls are not checked.',
    'Ни один набор правил не опубликован, поэтому звонки не проверяются.',
  ),
  off: text('ANALYSIS_PROVIDER turns the call check off.', 'Проверка выключена переменной ANALYSIS_PROVIDER.'),
  button: text('Rules', 'Правила'),
}

export const automaticCheckStepWords = {
  title: text('Turn on automatic checks', 'Включите автоматическую проверку'),
  done: text(
    'Calls are checked as soon as their transcripts are ready.',
    'Звонки проверяются сразу после распознавания.',
  ),
  open: text(
    'Off. New calls are not checked. Turning on automation also turns this on.',
    'Выключена. Новые звонки не проверяются. Включается вместе с автоматизацией.',
  ),
  button: text('Turn on', 'Включить'),
}

import { pluralTemplate } from '../frame/words/grammar.ts'
import { text, textTemplate } from '../frame/words/translation.ts'

export const commentWords = {
  write: text('Comment', 'Комментировать'),
  count: pluralTemplate('{} {comment|comments}', '{} {комментарий|комментария|комментариев}'),
  replies: pluralTemplate('{} {reply|replies}', '{} {ответ|ответа|ответов}'),
  showAll: text('Show all', 'Показать все'),
  goTo: textTemplate('Go to {}', 'Перейти к {}'),
  dot: textTemplate('Play from {}: comment of {}', 'Слушать с {}: комментарий, автор {}'),
  dots: pluralTemplate(
    'Play from {}: {} {comment|comments}',
    'Слушать с {}: {} {комментарий|комментария|комментариев}',
  ),
  copyLink: textTemplate('Copy link to the comment at {}', 'Скопировать ссылку на комментарий к {}'),
  edited: text('edited', 'изменён'),
  deleted: text('Comment deleted', 'Комментарий удалён'),
  edit: text('Edit', 'Изменить'),
  deleteSure: text('Delete this comment?', 'Удалить этот комментарий?'),
  deleteNow: text('Delete comment', 'Удалить комментарий'),
  reply: text('Reply', 'Ответить'),
  newTitle: text('New comment', 'Новый комментарий'),
  replyTitle: textTemplate('Reply to {}', 'Ответ для {}'),
  editTitle: text('Edit comment', 'Изменить комментарий'),
  moment: text('Moment', 'Момент'),
  momentRule: text('Write minutes and seconds, such as 6:57.', 'Введите минуты и секунды, например 6:57.'),
  content: text('Comment', 'Комментарий'),
  hint: text('@ mentions a person, Ctrl Enter saves', '@ — упомянуть сотрудника, Ctrl Enter — сохранить'),
  mention: text('Mention people', 'Упомянуть сотрудников'),
  saved: text('Comment saved.', 'Комментарий сохранён.'),
  notSaved: text('Not saved. Try again.', 'Не сохранено. Повторите.'),
  wasDeleted: text('Comment deleted.', 'Комментарий удалён.'),
  missing: text('This comment was deleted.', 'Этот комментарий удалён.'),
}

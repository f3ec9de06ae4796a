import { text, textTemplate } from '../frame/words/translation.ts'

export const seeAsWords = {
  begin: text('View as this person', 'Смотреть как сотрудник'),
  on: textTemplate('Viewing as {}. Read-only.', 'Вы смотрите как {}. Только чтение.'),
  onSomebody: text('Viewing as another person. Read-only.', 'Вы смотрите как другой сотрудник. Только чтение.'),
  end: text('Back to my view', 'Вернуться к себе'),
  refused: text(
    'This view is read-only. Return to your own view to make changes.',
    'Этот режим только для чтения. Чтобы вносить изменения, вернитесь к себе.',
  ),
}

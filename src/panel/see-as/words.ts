import { text, template } from '../frame/words/translation.ts'

export const seeAsWords = {
  begin: text('See what they see', 'Посмотреть глазами сотрудника'),
  on: template(
    'You see what {} sees. Nothing can be changed meanwhile.',
    'Вы видите то, что видит {}. Менять сейчас ничего нельзя.',
  ),
  onSomebody: text(
    'You see what somebody else sees. Nothing can be changed meanwhile.',
    'Вы видите то, что видит другой человек. Менять сейчас ничего нельзя.',
  ),
  end: text('Back to my own view', 'Вернуться к себе'),
  refused: text(
    'Nothing can be changed while you see what somebody else sees. Go back to your own view first.',
    'Пока вы смотрите глазами другого человека, менять ничего нельзя. Сначала вернитесь к себе.',
  ),
}

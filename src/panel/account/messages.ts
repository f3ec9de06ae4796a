import { inRussian, type Sayings } from '../frame/words/sayings.ts'
import { login } from '../login/words.ts'
import { account } from './words.ts'

/** What the API says of logins, sessions and keys. */
export const authSayings: Sayings = {
  'auth.wrongLogin': inRussian('Почта или пароль неверны.'),
  'auth.twoSessions': login.twoSessions,
  'auth.noSession': inRussian('Такого сеанса нет.'),
  'auth.noKey': inRussian('Такого действующего ключа нет.'),
  'auth.wrongPassword': account.password.wrong,
  'auth.seeAsOwners': inRussian('Смотреть от чужого имени может только владелец.'),
  'auth.seeAsReads': inRussian('От чужого имени можно только смотреть записи и людей.'),
  'auth.seeAsWhom': inRussian('Смотреть можно от имени руководителя или менеджера с доступом.'),
}

import { inRussian, saying, type Sayings } from '../frame/words/sayings.ts'
import { people } from './words.ts'

const { errors } = people

/** What the API says of people. */
export const peopleSayings: Sayings = {
  'people.noPerson': inRussian('Такого человека нет.'),
  'people.emailTaken': errors.emailTaken,
  'people.lastOwner': errors.lastOwner,
  'people.foreignName': errors.foreign,
  'people.namesake': errors.doubled,
  'people.roleAbove': inRussian('Роль не может быть выше вашей.'),
  'people.rightLacked': inRussian('Такого права у вас самих нет.'),
  'people.ownName': inRussian('Своё имя меняет кто-то другой: по нему видно, чьи звонки вам доступны.'),
  'people.ownRole': inRussian('Свою роль меняет кто-то другой.'),
  'people.ownAccess': inRussian('Свой доступ закрывает кто-то другой.'),
  'people.forOwner': inRussian('Это меняет только владелец: роль — как у вас, или есть право, которого у вас нет.'),
  'people.ownPassword': inRussian('Свой пароль меняют в профиле.'),
  'people.ownersRight': inRussian('У владельца прав не отнять.'),
  'people.oneDepartment': errors.oneDepartment,
  'people.noDepartment': errors.noDepartment,
  'people.otherDepartment': errors.otherDepartment,
  'people.goneDepartment': errors.goneDepartment,
}

/** What it says of names in departments: they stand in people's forms too. */
export const rosterSayings: Sayings = {
  'departments.elsewhere': errors.elsewhere,
  'departments.inRoster': saying(errors.inRoster, 'name', 'department'),
  'departments.namesakeStays': errors.namesake,
}

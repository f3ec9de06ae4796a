import { inRussian, saying, type Sayings } from '../frame/words/sayings.ts'
import { people } from './words.ts'

const { faults } = people

/** What the API says of people. */
export const peopleSayings: Sayings = {
  'people.noPerson': inRussian('Такого человека нет.'),
  'people.emailTaken': faults.emailTaken,
  'people.lastOwner': faults.lastOwner,
  'people.foreignName': faults.foreign,
  'people.namesake': faults.doubled,
  'people.roleAbove': inRussian('Роль не может быть выше вашей.'),
  'people.rightLacked': inRussian('Такого права у вас самих нет.'),
  'people.ownName': inRussian('Своё имя меняет кто-то другой: по нему видно, чьи звонки вам доступны.'),
  'people.ownRole': inRussian('Свою роль меняет кто-то другой.'),
  'people.ownAccess': inRussian('Свой доступ закрывает кто-то другой.'),
  'people.forOwner': inRussian('Это меняет только владелец: роль — как у вас, или есть право, которого у вас нет.'),
  'people.ownPassword': inRussian('Свой пароль меняют в профиле.'),
  'people.ownersRight': inRussian('У владельца прав не отнять.'),
  'people.oneDepartment': faults.oneDepartment,
  'people.noDepartment': faults.noDepartment,
  'people.otherDepartment': faults.otherDepartment,
  'people.goneDepartment': faults.goneDepartment,
}

/** What it says of names in departments: they stand in people's forms too. */
export const rosterSayings: Sayings = {
  'departments.elsewhere': faults.elsewhere,
  'departments.inRoster': saying(faults.inRoster, 'name', 'department'),
  'departments.namesakeStays': faults.namesake,
}

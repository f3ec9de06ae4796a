import { account } from '../../account/words.ts'
import { audit } from '../../audit/words.ts'
import { common } from './common.ts'
import { departments } from '../../departments/words.ts'
import { errors } from './errors.ts'
import { frame } from './frame.ts'
import { login } from '../../login/words.ts'
import { people } from '../../people/words.ts'
import { queues } from '../../queues/words.ts'
import { reasons } from './reasons.ts'
import { recording } from '../../recording/words.ts'
import { recordings } from '../../recordings/words.ts'
import { rules } from './rules.ts'
import { seeAs } from '../../see-as/words.ts'
import { statistics } from '../../statistics/words.ts'
import { table } from '../../recordings/table-words.ts'
import { upload } from '../../upload/words.ts'
import { system } from '../../system/words.ts'

/** Every word of the panel, by feature, both languages side by side. */
export const dictionary = {
  frame,
  common,
  errors,
  rules,
  reasons,
  upload,
  login,
  recordings,
  recording,
  queues,
  table,
  statistics,
  people,
  seeAs,
  departments,
  system,
  audit,
  account,
}

import { account } from './account.ts'
import { audit } from './audit.ts'
import { common } from './common.ts'
import { departments } from './departments.ts'
import { errors } from './errors.ts'
import { frame } from './frame.ts'
import { login } from './login.ts'
import { people } from './people.ts'
import { queues } from './queues.ts'
import { reasons } from './reasons.ts'
import { recording } from './recording.ts'
import { recordings } from './recordings.ts'
import { rules } from './rules.ts'
import { seeAs } from './see-as.ts'
import { statistics } from './statistics.ts'
import { table } from './table.ts'
import { upload } from './upload.ts'
import { system } from './system.ts'

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

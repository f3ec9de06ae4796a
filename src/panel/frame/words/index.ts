import { charts } from './charts.ts'
import { common } from './common.ts'
import { errors } from './errors.ts'
import { frame } from './frame.ts'
import { rules } from './rules.ts'

/** The words that no feature owns. */
export const frameWords = { frame, common, charts, errors, rules }

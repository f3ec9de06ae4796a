export { correlation } from './correlation.ts'
export { quality } from './quality.ts'
export { refusals } from './refusals.ts'
export { sales } from './sales.ts'

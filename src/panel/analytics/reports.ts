export { correlationReportPage as correlation } from './correlation.ts'
export { qualityReportPage as quality } from './quality.ts'
export { lostDealsReportPage as refusals } from './refusals.ts'
export { salesReportPage as sales } from './sales.ts'

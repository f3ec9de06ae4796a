import type { RuleAgreementJson } from '../../check/reviews/schema.ts'
import { createReportSortContext, sortReportTable } from '../analytics/report-sorting.ts'
import type { PageContext } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'

/** Builds the table that shows how often reviews agreed with the verdicts of each rule. @param filters parameters that sort links keep */
export function buildAgreementTable(
  agreement: RuleAgreementJson[],
  filters: Record<string, string>,
  context: PageContext,
) {
  const { language } = context
  const t = language.words.reviews.columns
  return sortReportTable(
    {
      id: 'agreement',
      isWhole: true,
      columns: [
        { text: t.rule, first: 'asc' },
        { text: t.judged, first: 'desc' },
        { text: t.agreed, first: 'desc' },
        { text: t.percent, first: 'asc' },
      ],
      rows: agreement.map((one) => buildAgreementRow(one, language)),
    },
    createReportSortContext(context, '/reviews', filters),
  )
}

function buildAgreementRow(
  { ruleSet, rule, name, judged, agreed, percent, flagged }: RuleAgreementJson,
  { words, format, code }: Language,
) {
  const ruleName = name?.[code] ?? rule
  return {
    rule: ruleName,
    ruleSet: ruleSet.name[code],
    judged: format.number(judged),
    agreed: format.number(agreed),
    percent: words.common.percent(format.number(percent)),
    flagged,
    keys: [ruleName, judged, agreed, percent],
  }
}

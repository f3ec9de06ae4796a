import type { Rule } from '../../check/rules/types.ts'
import { isPartialRefresh, renderPage, renderPageParts, type PageContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { buildRuleSetHead, type RuleSetWithRules } from './rule-set.ts'
import { collectRulePhraseLists } from './sentence.ts'

/** Renders all phrases of the rule in the route: as a part of a list, or as a page. @throws PageError 404 for an unknown rule */
export async function renderRulePhrases(
  context: PageContext,
  set: Pick<RuleSetWithRules, 'id' | 'name'>,
  rules: Rule[],
): Promise<void> {
  const { ctx, language } = context
  const rule = rules.find(({ key }) => key === ctx.params.rule)
  if (!rule) throw new PageError(404)
  const lists = collectRulePhraseLists(rule, language)
  if (isPartialRefresh(ctx)) return renderPageParts(context, ['rule-sets/_all-phrases'], { lists })
  const head = buildRuleSetHead(set, language)
  await renderPage(context, 'rule-sets/phrases', { title: rule.name[language.code], head, lists })
}

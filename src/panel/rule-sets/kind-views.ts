import { KINDS } from '../../check/rules/values.ts'
import type { Kind } from '../../check/rules/types.ts'
import type { KindView } from './kind.ts'
import * as views from './kinds/index.ts'

export const KIND_VIEWS: Record<Kind, KindView> = views

export const KIND_WORDS = Object.fromEntries(KINDS.map((kind) => [kind, KIND_VIEWS[kind].words])) as Record<
  Kind,
  KindView['words']
>

export const isKind = (text: string): text is Kind => Object.hasOwn(KIND_VIEWS, text)

import type { Severity } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'
import type { AnalyzedText } from '../engine/analyze-text.ts'
import type { DefinitionFacts } from '../engine/definition-facts.ts'
import type { RawText } from '../engine/raw-text.ts'

/** A tool's description, a whole tool, or another thing that a server sends. */
export type Example =
  | string
  | JsonObject
  | {
      readonly kind: 'instructions' | 'result' | 'elicitation' | 'sampling' | 'error' | 'prompt'
      readonly text: string
    }

/** What a rule says about itself; the reference page is made of it. */
export interface RuleHead {
  /** Stable: suppressions and documents name it. */
  readonly id: string
  /** The worst severity that the rule gives. */
  readonly severity: Severity
  readonly title: string
  /** One sentence: why this is dangerous. */
  readonly reason: string
  /** One sentence: what to do. */
  readonly remedy: string
  /** Examples with a finding of this rule. */
  readonly hits: readonly Example[]
  /** Similar texts without a finding of this rule at `medium` or above. */
  readonly misses: readonly Example[]
}

/** One match of a rule. */
export interface Match {
  /** From 0 to 1; the severity follows from it (`severityOf`). */
  readonly score: number
  /** One sentence: what was found. */
  readonly message: string
  readonly evidence?: string
  /** Where in the definition, if it is not the text that was examined. */
  readonly pointer?: string
}

/** A rule over a readable text: its sentences, moods and targets. */
export interface TextRule extends RuleHead {
  readonly over: 'text'
  readonly find: (text: AnalyzedText) => readonly Match[]
}

/** A rule over a text as it was sent, with its hidden characters. */
export interface RawRule extends RuleHead {
  readonly over: 'raw'
  readonly find: (text: RawText) => readonly Match[]
}

/** A rule over a whole definition: its schema and annotations. */
export interface DefinitionRule extends RuleHead {
  readonly over: 'definition'
  readonly find: (facts: DefinitionFacts) => readonly Match[]
}

export type Rule = TextRule | RawRule | DefinitionRule

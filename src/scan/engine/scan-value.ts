import type { Finding, FindingSubject } from '../../model/finding.ts'
import { isObject } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import { rules } from '../rules/all-rules.ts'
import { guardRule } from '../rules/grd/grd-001.ts'
import { encodedRule } from '../rules/obf/obf-001.ts'
import type { Match, Rule } from '../rules/rule.ts'
import { analyzeText } from './analyze-text.ts'
import type { TextContext } from './analyze-text.ts'
import { Budget, definitionBudget } from './budget.ts'
import { decodeAll } from './hidden-texts.ts'
import { toDefinitionFacts } from './definition-facts.ts'
import { toEvidence } from './evidence.ts'
import { normalize } from './normalize.ts'
import { toRawText } from './raw-text.ts'
import { severityOf } from './severity.ts'
import { surfacesOf } from './surfaces.ts'
import type { Surface } from './surfaces.ts'

/** How much may be examined; the default is enough for every real definition. */
export interface ScanOptions {
  /** Characters of one definition, decoded texts included. */
  readonly budget?: number
}

/** Texts may be encoded this many times over. */
const maxDecodings = 2

/** Scans every text of a JSON value. Findings are in the order of the value, then of the rules. */
export function scanValue(
  subject: FindingSubject,
  value: Json,
  { budget: characters = definitionBudget }: ScanOptions = {},
  parent?: Budget,
): readonly Finding[] {
  const scan = new Scan(subject, new Budget(characters, parent), domainOf(value))
  const surfaces = surfacesOf(value, subject.kind)
  for (const surface of surfaces.list) scan.surface(surface)
  if (isObject(value)) {
    const facts = toDefinitionFacts(subject.kind, value)
    for (const rule of rules)
      if (rule.over === 'definition') for (const match of rule.find(facts)) scan.report(rule, '', match, [])
  }
  return scan.finish(surfaces.isCut)
}

/** What the tool is about, by its name and first sentence: what follows may be anything. */
function domainOf(value: Json): string {
  if (!isObject(value)) return ''
  const { name, title, description } = value
  const first = typeof description === 'string' ? description.slice(0, 160).split(/[.!?\n;<]/, 1)[0] : ''
  const words = [name, title, first]
  return words
    .filter((word) => typeof word === 'string')
    .join(' ')
    .toLowerCase()
}

/** A tool's name is read as its words: `ignore_all_previous_instructions`. */
function wordsOf(visible: string, { place }: Surface): string {
  return place === 'name' && /[_-]/.test(visible) && visible.length <= 256
    ? visible.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ')
    : visible
}

class Scan {
  readonly #subject: FindingSubject
  readonly #budget: Budget
  readonly #domain: string
  readonly #findings: Finding[] = []
  readonly #seen = new Set<string>()

  constructor(subject: FindingSubject, budget: Budget, domain: string) {
    this.#subject = subject
    this.#budget = budget
    this.#domain = domain
  }

  surface(surface: Surface): void {
    if (!this.#budget.spend(surface.text.length)) return
    const raw = toRawText(surface)
    for (const rule of rules)
      if (rule.over === 'raw')
        for (const match of rule.find(raw)) this.report(rule, surface.pointer, match, [])
    this.#read(wordsOf(raw.visible, surface), surface, [])
    this.#decode(raw.text, raw.visible, surface, [])
  }

  #read(visible: string, { pointer, place, owner, isFlag }: Surface, decodedFrom: readonly string[]): void {
    const { text } = normalize(visible)
    const isHidden = decodedFrom.length > 0
    const context: TextContext = {
      place,
      isHidden,
      domain: this.#domain,
      ...(owner !== undefined && { owner }),
      ...(isFlag === true && { isFlag }),
    }
    const analyzed = analyzeText(text, context)
    for (const rule of rules) {
      // A name says what the tool does, so only instructions count in it.
      if (rule.over !== 'text' || (place === 'name' && !rule.id.startsWith('INJ-'))) continue
      for (const match of rule.find(analyzed)) {
        this.report(rule, pointer, match, decodedFrom)
        if (isHidden && match.score >= 0.4)
          this.report(encodedRule, pointer, encodedRule.decoded(match), decodedFrom)
      }
    }
  }

  #decode(text: string, visible: string, surface: Surface, above: readonly string[]): void {
    if (above.length >= maxDecodings) return
    for (const { how, text: decoded } of decodeAll(text, visible)) {
      if (!this.#budget.spend(decoded.length)) return
      const decodedFrom = [...above, how]
      const raw = toRawText({ ...surface, text: decoded })
      for (const rule of rules)
        if (rule.over === 'raw' && rule.id.startsWith('SEC-'))
          for (const match of rule.find(raw)) this.report(rule, surface.pointer, match, decodedFrom)
      this.#read(decoded, surface, decodedFrom)
      this.#decode(decoded, decoded, surface, decodedFrom)
    }
  }

  /** Adds a finding; the same one is reported once. */
  report(rule: Rule, pointer: string, match: Match, decodedFrom: readonly string[]): void {
    const { score, message, evidence } = match
    const finding: Finding = {
      rule: rule.id,
      severity: severityOf(score),
      subject: this.#subject,
      pointer: match.pointer ?? pointer,
      message,
      ...(evidence !== undefined && { evidence: toEvidence(evidence) }),
      ...(decodedFrom.length > 0 && { decodedFrom }),
      remedy: rule.remedy,
    }
    const key = JSON.stringify([finding.rule, finding.pointer, finding.evidence, finding.severity])
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.#findings.push(finding)
  }

  finish(isCut: boolean): readonly Finding[] {
    if (this.#budget.isExhausted || isCut) this.report(guardRule, '', guardRule.exhausted, [])
    return this.#findings
  }
}

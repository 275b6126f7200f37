import { isAtLeast } from '../model/finding.ts'
import type { Finding, FindingSubject, Severity } from '../model/finding.ts'
import { isList, isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { CallResult } from '../model/result.ts'
import { resultBudget } from './engine/budget.ts'
import { scanValue } from './engine/scan-value.ts'
import { scanText } from './scan-text.ts'
import type { TextAbout } from './scan-text.ts'

/** More say nothing new to a person. */
const maxFindings = 20

/** Keys of blocks whose text a model or a person reads. Base64 is not read. */
const shownKeys = new Set(['text', 'name', 'title', 'description', 'uri', 'resource', 'annotations', '_meta'])

/**
 * Scans the first 64 kB of text of a result: its blocks, its structured part and the message of an error. Only findings at
 * medium or above are returned, each once: a result is marked, never blocked, so the rest would only disturb (T16).
 */
export function scanResult(
  result: Pick<CallResult, 'blocks' | 'structured' | 'failed' | 'rpcError'>,
  about: TextAbout,
): readonly Finding[] {
  return scanTexts(result.failed ? 'error' : 'result', textsOf(result), about)
}

/**
 * The parts of a resource that was read, or the blocks of a prompt: what is found in each. Scanned as one result is; of a
 * resource only findings at high or above are returned, because documents write about tools, errors and secrets.
 */
export function scanParts(
  kind: 'resource' | 'prompt',
  parts: readonly Json[],
  about: TextAbout,
): readonly (readonly Finding[])[] {
  const limits = newLimits(kind === 'resource' ? 'high' : 'medium')
  return parts.map((part) => scanTexts(kind, leavesOf(part, shownKeys), about, limits))
}

/** A request of a server for the model: the texts that the model would get, scanned as a result is. */
export function scanSampling({ systemPrompt, messages }: JsonObject, about: TextAbout): readonly Finding[] {
  const keys = new Set([...shownKeys, 'content'])
  return scanTexts('sampling', leavesOf([systemPrompt ?? '', messages ?? []], keys), about)
}

/** A question of a server to a person, with the fields of its form. */
export function scanElicitation(question: JsonObject, { server }: TextAbout): readonly Finding[] {
  return scanValue({ kind: 'elicitation', server }, question)
    .filter(({ severity }) => isAtLeast(severity, 'medium'))
    .slice(0, maxFindings)
}

/** What is left to scan of one answer, and what was found in it. */
interface Limits {
  readonly least: Severity
  left: number
  readonly seen: Set<string>
}

const newLimits = (least: Severity = 'medium'): Limits => ({ least, left: resultBudget, seen: new Set() })

function scanTexts(
  kind: Exclude<FindingSubject['kind'], 'server'>,
  texts: Iterable<string>,
  about: TextAbout,
  limits = newLimits(),
): readonly Finding[] {
  const found: Finding[] = []
  const { seen } = limits
  for (const text of texts) {
    if (limits.left <= 0 || seen.size >= maxFindings) break
    for (const finding of scanText(kind, text.slice(0, limits.left), about)) {
      if (!isAtLeast(finding.severity, limits.least)) continue
      const key = `${finding.rule} ${finding.evidence ?? ''}`
      if (seen.has(key) || seen.size >= maxFindings) continue
      seen.add(key)
      found.push(finding)
    }
    limits.left -= text.length
  }
  return found
}

/** Every text, in the order in which a model reads them; those of the structured part last, as many servers repeat it. */
function* textsOf({
  blocks,
  structured,
  rpcError,
}: Parameters<typeof scanResult>[0]): Generator<string, undefined> {
  if (rpcError) yield rpcError.message
  const seen = new Set<string>()
  for (const block of blocks) {
    for (const text of leavesOf(block, shownKeys)) {
      seen.add(text)
      yield text
    }
  }
  if (structured === undefined || seen.has(JSON.stringify(structured))) return
  yield* leavesOf(structured)
}

function* leavesOf(value: Json, keys?: ReadonlySet<string>): Generator<string, undefined> {
  if (typeof value === 'string') yield value
  else if (isList(value)) for (const item of value) yield* leavesOf(item, keys)
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) {
      if (keys && !keys.has(key)) continue
      if (!keys && key.length > 24) yield key
      yield* leavesOf(item, keys)
    }
}
